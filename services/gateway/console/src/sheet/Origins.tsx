import { Alert, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, take } from '../api/client';
import { co2e, number, range } from '../format';
import { Wide } from '../ui/Wide';

const shown = 50;

/** The origins of the people of a record, as resolved by the server. */
export function Origins({ event, record, revision }: { event: string; record: string; revision: number }): ReactNode {
  const { t } = useTranslation();
  const list = useQuery({
    queryKey: ['origins', event, record, revision],
    queryFn: () =>
      take(
        api.GET('/events/{eventId}/{type}/{recordId}/origins', {
          params: { path: { eventId: event, type: 'attendee-travel', recordId: record }, query: { limit: shown } },
        }),
      ),
  });
  if (!list.data) return null;
  const more = list.data.pagination.total - list.data.items.length;
  return (
    <Wide label={t('origin.from')}>
      <Table className="fields" verticalSpacing={2}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('origin.from')}</Table.Th>
            <Table.Th ta="right">{t('origin.people')}</Table.Th>
            <Table.Th>{t('origin.mode')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {list.data.items.map((o) => (
            <Table.Tr key={JSON.stringify(o)}>
              <Table.Th scope="row" fw={400}>
                {nameOf(o) || t('origin.unknown')}
              </Table.Th>
              <Table.Td ta="right">{number(o.people)}</Table.Td>
              <Table.Td>
                {o.mode ? t(`mode.${o.mode as 'rail'}`, { defaultValue: o.mode }) : t('origin.split')}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {more > 0 && (
        <Text size="xs" c="dimmed">
          {t('origin.more', { count: more })}
        </Text>
      )}
    </Wide>
  );
}

/** What an origin is called: what was found for it, else what was written. */
export function nameOf(o: Schemas['Origin']): string {
  const at = o.at?.length === 1 ? o.at[0] : undefined;
  if (at) return [at.name, at.country].join(', ');
  return [o.place ?? o.postcode ?? o.code, o.country].filter(Boolean).join(', ');
}

/** The preview of another destination. */
export function WhatIfText({ effect }: { effect: Schemas['WhatIf'] }): ReactNode {
  const { t } = useTranslation();
  const figure = (i: Schemas['Interval']): string => `${co2e(i.kgCO2e)} (${range(i.low, i.high, i.kgCO2e)})`;
  const line = (key: 'travel' | 'total', moved: Schemas['MovedFigure']): ReactNode => (
    <Text size="sm" className="figure">
      {t(`origin.${key}`, { before: figure(moved.before), after: figure(moved.after) })}
    </Text>
  );
  return (
    <Alert p="xs" color="blue" variant="light" title={t('origin.whatIf')} role="status">
      {line('travel', effect.attendeeTravel)}
      {effect.total && line('total', effect.total)}
    </Alert>
  );
}
