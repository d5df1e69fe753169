import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { useFactorSets } from '../api/factorSets';
import { useMembers } from '../organization/data';
import { useSession } from '../session';
import { Wide } from '../ui/Wide';
import { fieldWord, valueWord } from './words';

/** What fields of an event were before and after a change. */
export function Fields({ changed }: { changed: Schemas['FieldChange'][] }): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const members = useMembers(can('user') && changed.some((c) => c.field === 'team'));
  useFactorSets(changed.some((c) => c.field === 'factorSet')); // what they are called
  const people = new Map(members.data?.map((m) => [m._id, m.name || m._id]));
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
                {fieldWord(c.field)}
              </Table.Th>
              <Table.Td>{valueWord(c.field, c.before, people)}</Table.Td>
              <Table.Td>{valueWord(c.field, c.after, people)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Wide>
  );
}
