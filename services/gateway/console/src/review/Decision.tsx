import { Alert, Anchor, Button, Group, List, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { call, type Schemas } from '../api/client';
import { useRecordTypes } from '../api/types';
import { countryName } from '../countries';
import { co2e, exact, exactNumber, range } from '../format';
import { actorName } from '../i18n/actor';
import { named } from '../i18n/fields';
import { say, sayOfOne } from '../i18n/server';
import type { Item, Move } from '../pages/queue';
import { type Column, columnsOf, namesIn, said } from '../sheet/columns';
import { Origins } from '../sheet/Origins';
import { RecordHistory } from './RecordHistory';

const state = new Set([
  '_id',
  'eventId',
  'type',
  'submitted',
  'status',
  'revision',
  'createdBy',
  'createdAt',
  'updatedAt',
  'submittedAt',
  'submittedBy',
  'reviewedBy',
  'reviewedAt',
  'reviewComment',
  'footprint',
  'review',
]);

export function fieldsOnly(item: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).filter(([k]) => !state.has(k)));
}

/** The record to decide on: its fields, evidence, findings and history side by side. */
export function Decision({
  item,
  eventId,
  decides,
  approve,
  ask,
}: {
  item: Item;
  eventId: string;
  /** Whether it is the reader's to decide. */
  decides: boolean;
  approve: () => void;
  ask: (m: Move) => void;
}): ReactNode {
  const { t, i18n } = useTranslation();
  const types = useRecordTypes();
  const info = types.data?.items.find((x) => x.type === item.type);
  const columns: Column[] = info ? columnsOf(info.schema) : [];
  const evidence = (item.evidence ?? []) as { name?: string; url?: string; sha256?: string }[];
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={2} size="h4">
            {t(`type.${item.type as 'flights'}`, { defaultValue: item.type ?? '' })}
          </Title>
          {item.footprint && (
            <Text className="figure" title={exact(item.footprint.kgCO2e)}>
              <b>{co2e(item.footprint.kgCO2e)}</b>{' '}
              <span className="dim">{range(item.footprint.low, item.footprint.high, item.footprint.kgCO2e)}</span>
            </Text>
          )}
        </div>
        {decides && (
          <Group gap={6} className="decide">
            <Button size="sm" onClick={approve}>
              {t('review.approve')}
            </Button>
            <Button size="sm" variant="default" onClick={() => ask('request-changes')}>
              {t('review.changes')}
            </Button>
            <Button size="sm" variant="default" onClick={() => ask('reject')}>
              {t('review.reject')}
            </Button>
          </Group>
        )}
      </Group>
      {item.review.findings.map((f) => (
        <Alert role="note" key={f.code + f.message} color={f.severity === 'warning' ? 'orange' : 'blue'} p="xs">
          {sayOfOne(f)}
        </Alert>
      ))}
      <div className="reviewcols">
        <section>
          <Title order={3} size="h6" mb={4}>
            {t('review.record')}
          </Title>
          <Table>
            <Table.Tbody>
              {columns
                .filter((c) => c.kind !== 'evidence' && item[c.field] !== undefined && item[c.field] !== null)
                .map((c) => (
                  <Table.Tr key={c.field}>
                    <Table.Th scope="row" fw={400} c="dimmed">
                      {c.label}
                      {c.unit && ` (${c.unit})`}
                    </Table.Th>
                    <Table.Td>
                      {c.field === 'country'
                        ? countryName(String(item.country), i18n.resolvedLanguage ?? 'en')
                        : typeof item[c.field] === 'number'
                          ? exactNumber(item[c.field] as number) // in groups: a slip of the decimal point is seen
                          : said(c, item[c.field])}
                      {item.footprint?.defaulted.includes(c.field) && (
                        <Text span size="xs" c="dimmed">
                          {' '}
                          {t('review.defaulted')}
                        </Text>
                      )}
                    </Table.Td>
                  </Table.Tr>
                ))}
            </Table.Tbody>
          </Table>
          {item.originSet !== undefined && <Origins event={eventId} record={item._id} revision={item.revision} />}
          <Text size="xs" c="dimmed" mt={4}>
            {named(info?.formula ?? '', namesIn(columns))}
          </Text>
          {(item.footprint?.notices ?? []).map((n) => (
            <Text key={n.code + n.message} size="xs" c="dimmed">
              {say('notice', n)}
            </Text>
          ))}
        </section>
        <section>
          <Title order={3} size="h6" mb={4}>
            {t('review.evidence')}
          </Title>
          {evidence.length === 0 && (
            <Text size="sm" c="dimmed">
              {t('review.noEvidence')}
            </Text>
          )}
          <List size="sm">
            {evidence.map((e) => (
              <List.Item key={(e.name ?? '') + (e.url ?? '') + (e.sha256 ?? '')}>
                {e.url ? (
                  <Anchor href={e.url} target="_blank" rel="noopener noreferrer">
                    {e.name ?? e.url}
                  </Anchor>
                ) : (
                  e.name
                )}
                {e.sha256 && (
                  <Text size="xs" c="dimmed" className="mono">
                    {e.sha256}
                  </Text>
                )}
              </List.Item>
            ))}
          </List>
          <Title order={3} size="h6" mb={4} mt="md">
            {t('review.history')}
          </Title>
          <RecordHistory eventId={eventId} type={item.type ?? ''} id={item._id} revision={item.revision} />
        </section>
      </div>
    </Stack>
  );
}

/** Says what became of the record that was looked at and has left the queue. */
export function Elsewhere({ item, eventId }: { item: Item; eventId: string }): ReactNode {
  const { t } = useTranslation();
  const now = useQuery({
    queryKey: ['record', eventId, item._id, 'now'],
    queryFn: async () =>
      (await call<Schemas['RecordState']>('GET', `/events/${eventId}/${item.type}/${item._id}`)).data,
  });
  const r = now.data;
  return (
    <Alert color="blue" role="status" title={t('review.elsewhere')}>
      {r?.reviewedBy && r.status
        ? t('review.elsewhereBy', { status: t(`status.${r.status}`), name: actorName(r.reviewedBy) })
        : t('review.elsewhereText')}
    </Alert>
  );
}
