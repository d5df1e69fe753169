import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { meantList, say } from '../i18n/server';
import { groupFaults, rowNumbers } from './faultgroups';
import type { Import } from './upload';

/** The rows of a file that cannot be imported, and why: what is wrong with many of them is said once. */
export function ImportFaults({
  faults,
  all,
  called,
}: {
  faults: Import['errors'];
  all: number;
  called: (field: string) => string | undefined;
}): ReactNode {
  const { t } = useTranslation();
  const counted = t('import.faults', { count: all });
  const title = faults.length < all ? t('import.faultsShown', { faults: counted, count: faults.length }) : counted;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <section className="faultlist" tabIndex={0} aria-label={title}>
      <Table>
        <Table.Caption>{title}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th ta="right">{t('sheet.row')}</Table.Th>
            <Table.Th>{t('import.column')}</Table.Th>
            <Table.Th>{t('import.fault')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groupFaults(faults).map(({ fault: f, rows }) => (
            <Table.Tr key={`${f.row}-${f.column}-${f.code}-${f.message}`}>
              <Table.Td ta="right">{rowNumbers(rows)}</Table.Td>
              {/* A heading of the file, or the name of a field that it has no heading for. */}
              <Table.Td>{f.column ? (called(f.column) ?? f.column) : '–'}</Table.Td>
              <Table.Td>
                {say('fault', f)}
                {f.suggestions && f.suggestions.length > 0 && (
                  <Text span size="sm" c="dimmed">
                    {' '}
                    {t('said.meant', { list: meantList(f) })}
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
