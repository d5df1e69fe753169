import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { date } from '../format';
import { Wide } from '../ui/Wide';

/** What fields of an event were before and after a change. */
export function Fields({ changed }: { changed: Schemas['FieldChange'][] }): ReactNode {
  const { t } = useTranslation();
  const say = (v: unknown): string => {
    if (v === null || v === undefined || v === '') return '–';
    if (typeof v === 'boolean') return t(v ? 'state.yes' : 'state.no');
    if (typeof v === 'string') return /^\d{4}-\d\d-\d\d$/.test(v) ? date(v) : v;
    if (Array.isArray(v)) return v.map(say).join(', ') || '–';
    if (typeof v === 'object' && 'name' in v && 'country' in v)
      return [v.name, 'region' in v && v.region, v.country].filter(Boolean).join(', ');
    if (typeof v === 'object')
      return Object.entries(v)
        .map(([k, x]) => `${t(`field.${k as 'title'}`, { defaultValue: k })}: ${say(x)}`)
        .join('; ');
    return String(v);
  };
  if (changed.length === 0) return null;
  return (
    <Wide label={t('governed.field')}>
      <Table className="fields" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('governed.field')}</Table.Th>
            <Table.Th>{t('governed.before')}</Table.Th>
            <Table.Th>{t('governed.after')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changed.map((c) => (
            <Table.Tr key={c.field}>
              <Table.Th scope="row" fw={400}>
                {t(`field.${c.field as 'title'}`, { defaultValue: c.field })}
              </Table.Th>
              <Table.Td>{say(c.before)}</Table.Td>
              <Table.Td>{say(c.after)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Wide>
  );
}
