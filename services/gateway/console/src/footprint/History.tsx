import { Card, Group, NativeSelect, Skeleton, Table, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, take } from '../api/client';
import { amount, co2e, exact, signed, time } from '../format';
import { Causes } from '../governed/Causes';
import { More, nextPage } from '../ui/More';
import { Problem } from '../ui/states';
import { Wide } from '../ui/Wide';

export function History({ eventId, newest }: { eventId: string; newest: number }): ReactNode {
  const { t } = useTranslation();
  const [from, setFrom] = useState<number | null>(null);
  const [to, setTo] = useState<number | null>(null);
  const history = useInfiniteQuery({
    queryKey: ['history', eventId, newest],
    initialPageParam: 1,
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/events/{eventId}/results/history', {
          params: { path: { eventId }, query: { page: pageParam, limit: 100 } },
        }),
      ),
    getNextPageParam: nextPage,
  });
  // A revision that comes in between moves the others: the next page may begin with some of the previous one.
  const items = [...new Map(history.data?.pages.flatMap((p) => p.items).map((i) => [i.revision, i])).values()];
  const later = to ?? newest;
  // Not all revisions are kept, so the one before need not be the previous number.
  const earlier = from ?? items.find((i) => i.revision < later)?.revision ?? Math.max(1, later - 1);
  const choices = (of: (revision: number) => boolean) =>
    items
      .filter((i) => of(i.revision))
      .map((i) => ({
        value: String(i.revision),
        label: `${i.revision}: ${co2e(i.total.kgCO2e)}, ${time(i.calculatedAt)}`,
      }));
  return (
    <Card withBorder component="section">
      <Title order={2} size="h4" mb="sm">
        {t('foot.history')}
      </Title>
      {history.isLoadingError && <Problem error={history.error} retry={() => void history.refetch()} />}
      {newest > 1 && (
        <Group mb="sm" align="flex-end">
          <NativeSelect
            size="xs"
            label={t('foot.from')}
            value={String(earlier)}
            onChange={(e) => setFrom(Number(e.currentTarget.value))}
            data={choices((n) => n < later)}
          />
          <NativeSelect
            size="xs"
            label={t('foot.to')}
            value={String(later)}
            onChange={(e) => {
              setTo(Number(e.currentTarget.value));
              setFrom(null);
            }}
            data={choices((n) => n > 1)}
          />
          <More list={history} label={t('foot.olderRevisions')} />
        </Group>
      )}
      {newest > 1 ? (
        <Bridge eventId={eventId} from={earlier} to={later} />
      ) : (
        <Text size="sm">{t('foot.firstRevision')}</Text>
      )}
      <details className="explained" open={newest === 1}>
        <summary>{t('foot.revisions', { count: newest })}</summary>
        <ol className="plain entries" aria-label={t('foot.history')}>
          {items.map((i) => (
            <li key={i.revision}>
              <Text size="sm" className="figure nowrap" title={exact(i.total.kgCO2e)}>
                <b>{t('foot.revision', { n: i.revision })}</b>: {co2e(i.total.kgCO2e)}, {time(i.calculatedAt)}
              </Text>
              <Causes causes={i.cause ?? []} />
            </li>
          ))}
        </ol>
        <More list={history} label={t('foot.olderRevisions')} />
      </details>
    </Card>
  );
}

function Bridge({ eventId, from, to }: { eventId: string; from: number; to: number }): ReactNode {
  const { t } = useTranslation();
  const diff = useQuery({
    queryKey: ['diff', eventId, from, to],
    queryFn: () =>
      take(
        api.GET('/events/{eventId}/results/{revision}/diff/{other}', {
          params: { path: { eventId, revision: from, other: to } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (diff.isPending) return <Skeleton h={80} />;
  if (diff.isLoadingError) return <Problem error={diff.error} retry={() => void diff.refetch()} />;
  const d = diff.data;
  const max = Math.max(...d.parts.map((p) => Math.abs(p.kgCO2e)), 1e-9);
  return (
    <Wide label={t('foot.history')}>
      <Table>
        <Table.Caption>{t('foot.bridgeExact')}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('foot.cause')}</Table.Th>
            <Table.Th ta="right">CO₂e</Table.Th>
            <Table.Th aria-hidden className="barcol" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Table.Tr>
            <Table.Th scope="row">{t('foot.revision', { n: d.from.revision })}</Table.Th>
            <Table.Td ta="right" className="figure nowrap" title={exact(d.from.kgCO2e)}>
              {amount(d.from.kgCO2e)}
            </Table.Td>
            <Table.Td aria-hidden className="barcol" />
          </Table.Tr>
          {d.parts.map((p) => (
            <Table.Tr key={p.kind + p.type}>
              <Table.Th scope="row" fw={400}>
                {t(`kind.${p.kind}`)}
                {p.type && ` · ${t(`type.${p.type as 'flights'}`, { defaultValue: p.type })}`}
                {p.records > 0 && ` · ${t('foot.records', { count: p.records })}`}
              </Table.Th>
              <Table.Td ta="right" className="figure nowrap" title={exact(p.kgCO2e)}>
                {signed(p.kgCO2e)}
              </Table.Td>
              <Table.Td aria-hidden className="barcol">
                <div className="bartrack">
                  <div
                    className="bar"
                    data-down={p.kgCO2e < 0 || undefined}
                    style={{ width: `${(Math.abs(p.kgCO2e) / max) * 100}%` }}
                  />
                </div>
              </Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Th scope="row">{t('foot.revision', { n: d.to.revision })}</Table.Th>
            <Table.Td ta="right" className="figure nowrap" title={exact(d.to.kgCO2e)}>
              {amount(d.to.kgCO2e)}
            </Table.Td>
            <Table.Td aria-hidden className="barcol" />
          </Table.Tr>
        </Table.Tbody>
      </Table>
      <Causes causes={d.cause ?? []} />
    </Wide>
  );
}
