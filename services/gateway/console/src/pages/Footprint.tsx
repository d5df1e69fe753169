import {
  Alert,
  Anchor,
  Badge,
  Box,
  Button,
  Card,
  Group,
  List,
  NativeSelect,
  SegmentedControl,
  SimpleGrid,
  Skeleton,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { all, api, call, type Schemas, take } from '../api/client';
import { amount, co2e, exact, percent, range, signed, time } from '../format';
import { Bars } from '../ui/Bars';
import { Empty, Problem } from '../ui/states';
import { useEvent } from './Event';
import { resultOf } from './Events';
import { nextListing } from './listing';

type Result = Schemas['Result'];

export function FootprintPage(): ReactNode {
  const { t } = useTranslation();
  const { eventId, query } = useEvent();
  const unchanged = useRef(0);
  const last = useRef<number | undefined>(undefined);
  const result = useQuery({
    queryKey: ['result', eventId],
    queryFn: async () => {
      const r = await resultOf(eventId);
      unchanged.current = r?.revision === last.current ? unchanged.current + 1 : 0;
      last.current = r?.revision;
      return r;
    },
    refetchInterval: (q) => nextListing(q.state.data?.status, unchanged.current),
  });
  const [by, setBy] = useState<'type' | 'scope' | 'group' | 'stage'>('type');
  if (result.isPending)
    return (
      <Box p="md" maw={1100} mx="auto" role="status" aria-label={t('state.loading')}>
        <Skeleton h={140} mb="md" />
        <Skeleton h={300} />
      </Box>
    );
  if (result.isError)
    return (
      <Box p="md" maw={800} mx="auto">
        <Problem error={result.error} retry={() => void result.refetch()} />
      </Box>
    );
  const r = result.data;
  const event = query.data?.data;
  if (!r || !event)
    return (
      <Empty
        title={t('foot.none')}
        action={
          <Button component={Link} to={`/events/${eventId}/sheet`}>
            {t('place.sheet')}
          </Button>
        }
      >
        {t('foot.noneText')}
      </Empty>
    );
  return (
    <Stack maw={1100} mx="auto" p="md" gap="lg">
      <Hero result={r} event={event} />
      <Card withBorder component="section">
        <Group justify="space-between" mb="sm">
          <Title order={2} size="h4">
            {t('foot.parts')}
          </Title>
          <SegmentedControl
            size="xs"
            aria-label={t('foot.by')}
            value={by}
            onChange={(v) => setBy(v as typeof by)}
            data={(['type', 'scope', 'group', 'stage'] as const).map((v) => ({ value: v, label: t(`foot.by_${v}`) }))}
          />
        </Group>
        <Parts result={r} by={by} eventId={eventId} />
      </Card>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <MeasureNext result={r} eventId={eventId} />
        <Findings result={r} eventId={eventId} />
      </SimpleGrid>
      <History eventId={eventId} newest={r.revision} />
      <Rehearsal eventId={eventId} current={r.factorSet.id} />
    </Stack>
  );
}

function Hero({ result: r, event }: { result: Result; event: Schemas['Event'] }): ReactNode {
  const { t } = useTranslation();
  const excluded = event.boundary?.excluded ?? [];
  const waiting = (r.counts?.submitted ?? 0) + (r.counts?.inReview ?? 0);
  const drafts = (r.counts?.unsubmitted ?? 0) + (r.counts?.changesRequested ?? 0);
  return (
    <section className="hero" aria-label={t('foot.total')}>
      <Group gap="sm" align="baseline">
        <Text className="bignumber figure" title={exact(r.total.kgCO2e)} aria-live="polite">
          {co2e(r.total.kgCO2e)}
        </Text>
        <Text size="lg" c="dimmed" className="figure">
          {range(r.total.low, r.total.high)}
        </Text>
        {r.status === 'recalculating' && (
          <Badge variant="light" color="blue" className="badge" role="status">
            {t('foot.recalculating')}
          </Badge>
        )}
      </Group>
      <Text>
        {t('foot.sentence', { range: range(r.total.low, r.total.high), count: r.counts?.approved ?? 0 })}{' '}
        {excluded.length > 0
          ? t('foot.excluded', {
              list: excluded
                .map((x) => `${t(`type.${x.type as 'flights'}`, { defaultValue: x.type })} (${x.reason})`)
                .join('; '),
            })
          : t('foot.allTypes')}{' '}
        {r.method.radiativeForcing ? t('foot.rf') : t('foot.noRf')}
      </Text>
      <SimpleGrid cols={{ base: 2, sm: 4 }} mt="md">
        <Fact
          label={t('foot.perAttendee')}
          value={r.perAttendeeKg == null ? '–' : amount(r.perAttendeeKg)}
          note={r.perAttendeeKg == null ? t('foot.noAttendees') : ''}
        />
        <Fact label={t('foot.perDay')} value={r.perAttendeeDayKg == null ? '–' : amount(r.perAttendeeDayKg)} note="" />
        <Fact
          label={t('foot.measured')}
          value={percent(r.dataQuality.measuredShare)}
          note={t('foot.assumed', { share: percent(r.dataQuality.assumedShare) })}
        />
        <Fact
          label={t('foot.waiting')}
          value={t('bar.rows', { count: waiting })}
          note={drafts > 0 ? t('foot.drafts', { count: drafts }) : ''}
        />
      </SimpleGrid>
    </section>
  );
}

function Fact({ label, value, note }: { label: string; value: string; note: string }): ReactNode {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={600} className="figure">
        {value}
      </Text>
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    </div>
  );
}

function Parts({
  result: r,
  by,
  eventId,
}: {
  result: Result;
  by: 'type' | 'scope' | 'group' | 'stage';
  eventId: string;
}): ReactNode {
  const { t } = useTranslation();
  const bars = {
    type: () =>
      r.byType.map((x) => ({
        key: x.type,
        label: t(`type.${x.type as 'flights'}`, { defaultValue: x.type }),
        kg: x.kgCO2e,
        low: x.low,
        high: x.high,
        note: t('bar.rows', { count: x.records }),
      })),
    scope: () =>
      (['scope1', 'scope2', 'scope3'] as const).map((s) => ({ key: s, label: t(`foot.${s}`), kg: r.byScope[s] })),
    group: () =>
      r.byGroup.map((x) => ({
        key: x.group,
        label: t(`group.${x.group as 'staff'}`, { defaultValue: x.group }),
        kg: x.kgCO2e,
        low: x.low,
        high: x.high,
        note: t('bar.rows', { count: x.records }),
      })),
    stage: () =>
      (['direct', 'upstream', 'combined'] as const).map((s) => ({ key: s, label: t(`foot.${s}`), kg: r.byStage[s] })),
  }[by]();
  const sorted = by === 'scope' || by === 'stage' ? bars : [...bars].sort((a, b) => b.kg - a.kg);
  return (
    <Bars
      caption={t(`foot.by_${by}`)}
      bars={sorted}
      {...(by === 'type' ? { open: (type: string) => <Explained eventId={eventId} type={type} /> } : {})}
    />
  );
}

/** The records of a type that count, each with its formulas, factors and sources. */
function Explained({ eventId, type }: { eventId: string; type: string }): ReactNode {
  const { t } = useTranslation();
  const list = useInfiniteQuery({
    queryKey: ['explain', eventId],
    initialPageParam: 1,
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/events/{eventId}/results/explain', {
          params: { path: { eventId }, query: { page: pageParam, limit: 100 } },
        }),
      ),
    getNextPageParam: (l) => (l.pagination.page < l.pagination.totalPages ? l.pagination.page + 1 : undefined),
  });
  const records = (list.data?.pages ?? []).flatMap((p) => p.items).filter((x) => x.type === type);
  useEffect(() => {
    if (records.length === 0 && list.hasNextPage && !list.isFetching) void list.fetchNextPage();
  });
  if (list.isPending) return <Skeleton h={60} />;
  if (list.isError) return <Problem error={list.error} retry={() => void list.refetch()} />;
  return (
    <Stack gap="xs">
      {[...records]
        .sort((a, b) => b.kgCO2e - a.kgCO2e)
        .map((x) => (
          <details key={x._id} className="explained">
            <summary>
              <b className="figure">{amount(x.kgCO2e)}</b> <span className="dim figure">{range(x.low, x.high)}</span>{' '}
              {summary(x.fields)}
            </summary>
            <Text size="sm" my={4}>
              {x.method}
            </Text>
            {x.lines.map((l) => (
              <Box key={l.factorId + l.stage} className="line">
                <Text size="sm" className="figure">
                  {l.formula}
                </Text>
                {l.factor && (
                  <Text size="xs" c="dimmed">
                    {[l.factor.activity, l.factor.detail, l.factor.region, l.factor.year].filter(Boolean).join(' · ')}.{' '}
                    {l.factor.source}
                    {l.factor.sourceLocation && `, ${l.factor.sourceLocation}`}. {l.factor.licence}
                  </Text>
                )}
              </Box>
            ))}
            <Anchor component={Link} to={`/events/${eventId}/sheet?type=${type}&record=${x._id}`} size="sm">
              {t('foot.toRecord')}
            </Anchor>
          </details>
        ))}
      {list.hasNextPage && (
        <Group>
          <Button
            size="xs"
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {t('foot.more')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** The fields of a record in one line. */
export function summary(fields: Record<string, unknown>): string {
  const skip = new Set(['evidence', 'metadata', 'externalReference', 'dataQuality']);
  return Object.entries(fields)
    .filter(([k, v]) => !skip.has(k) && v !== null && typeof v !== 'object')
    .slice(0, 6)
    .map(([, v]) => (v === true ? '↔' : String(v).replaceAll('_', ' ')))
    .join(' · ');
}

function MeasureNext({ result: r, eventId }: { result: Result; eventId: string }): ReactNode {
  const { t } = useTranslation();
  const list = r.measureNext ?? [];
  return (
    <Card withBorder component="section">
      <Title order={2} size="h4" mb={4}>
        {t('foot.measureNext')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('foot.measureNextText')}
      </Text>
      <List size="sm" spacing={6} type="ordered">
        {list.slice(0, 5).map((m) => (
          <List.Item key={m.recordId}>
            <Anchor component={Link} to={`/events/${eventId}/sheet?type=${m.type}&record=${m.recordId}`}>
              {t(`type.${m.type as 'flights'}`, { defaultValue: m.type })}, {amount(m.kgCO2e)}
            </Anchor>
            : {t('foot.shareOfRange', { share: percent(m.varianceShare) })}
          </List.Item>
        ))}
      </List>
    </Card>
  );
}

function Findings({ result: r, eventId }: { result: Result; eventId: string }): ReactNode {
  const { t } = useTranslation();
  const findings = r.findings ?? [];
  return (
    <Card withBorder component="section">
      <Title order={2} size="h4" mb="sm">
        {t('foot.findings')}
      </Title>
      {findings.length === 0 && <Text size="sm">{t('foot.noFindings')}</Text>}
      <Stack gap="xs">
        {findings.map((f) => (
          <Alert key={f.code + f.message} color={f.severity === 'warning' ? 'orange' : 'blue'} p="xs">
            <Text size="sm">{f.message}</Text>
            {f.recordIds.slice(0, 3).map((id, n) => (
              <Anchor key={id} size="sm" mr="sm" component={Link} to={`/events/${eventId}/sheet?type=all&record=${id}`}>
                {t('foot.record', { n: n + 1 })}
              </Anchor>
            ))}
          </Alert>
        ))}
        {(r.notices ?? []).map((n) => (
          <Text key={n.code + n.message} size="sm" c="dimmed">
            {n.message}
          </Text>
        ))}
      </Stack>
    </Card>
  );
}

function History({ eventId, newest }: { eventId: string; newest: number }): ReactNode {
  const { t } = useTranslation();
  const [from, setFrom] = useState<number | null>(null);
  const [to, setTo] = useState<number | null>(null);
  const history = useQuery({
    queryKey: ['history', eventId, newest],
    queryFn: () =>
      take(api.GET('/events/{eventId}/results/history', { params: { path: { eventId }, query: { limit: 100 } } })),
  });
  const items = history.data?.items ?? [];
  const later = to ?? newest;
  const earlier = from ?? Math.max(1, later - 1);
  return (
    <Card withBorder component="section">
      <Title order={2} size="h4" mb="sm">
        {t('foot.history')}
      </Title>
      {history.isError && <Problem error={history.error} retry={() => void history.refetch()} />}
      {newest > 1 && (
        <Group mb="sm" align="flex-end">
          <NativeSelect
            size="xs"
            label={t('foot.from')}
            value={String(earlier)}
            onChange={(e) => setFrom(Number(e.currentTarget.value))}
            data={items
              .filter((i) => i.revision < later)
              .map((i) => ({
                value: String(i.revision),
                label: `${i.revision}: ${co2e(i.total.kgCO2e)}, ${time(i.calculatedAt)}`,
              }))}
          />
          <NativeSelect
            size="xs"
            label={t('foot.to')}
            value={String(later)}
            onChange={(e) => {
              setTo(Number(e.currentTarget.value));
              setFrom(null);
            }}
            data={items
              .filter((i) => i.revision > 1)
              .map((i) => ({
                value: String(i.revision),
                label: `${i.revision}: ${co2e(i.total.kgCO2e)}, ${time(i.calculatedAt)}`,
              }))}
          />
        </Group>
      )}
      {newest > 1 ? (
        <Bridge eventId={eventId} from={earlier} to={later} />
      ) : (
        <Text size="sm">{t('foot.firstRevision')}</Text>
      )}
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
  if (diff.isError) return <Problem error={diff.error} retry={() => void diff.refetch()} />;
  const d = diff.data;
  const max = Math.max(...d.parts.map((p) => Math.abs(p.kgCO2e)), 1e-9);
  return (
    <div className="scrollx" tabIndex={-1}>
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
            <Table.Td ta="right" className="figure" title={exact(d.from.kgCO2e)}>
              {amount(d.from.kgCO2e)}
            </Table.Td>
            <Table.Td aria-hidden className="barcol" />
          </Table.Tr>
          {d.parts.map((p) => (
            <Table.Tr key={p.kind + p.type}>
              <Table.Th scope="row" fw={400}>
                {t(`kind.${p.kind}`)}
                {p.type && ` · ${t(`type.${p.type as 'flights'}`, { defaultValue: p.type })}`}
                {p.records > 0 && ` · ${t('bar.rows', { count: p.records })}`}
              </Table.Th>
              <Table.Td ta="right" className="figure" title={exact(p.kgCO2e)}>
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
            <Table.Td ta="right" className="figure" title={exact(d.to.kgCO2e)}>
              {amount(d.to.kgCO2e)}
            </Table.Td>
            <Table.Td aria-hidden className="barcol" />
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** What the total would be with another set of factors; nothing is kept. */
function Rehearsal({ eventId, current }: { eventId: string; current: string }): ReactNode {
  const { t } = useTranslation();
  const sets = useQuery({
    queryKey: ['factor-sets'],
    queryFn: () => all((page) => take(api.GET('/factor-sets', { params: { query: { page, limit: 100 } } }))),
    staleTime: 600_000,
  });
  const others = (sets.data ?? []).filter((s) => s.id !== current);
  const [chosen, setChosen] = useState('');
  const rehearsal = useQuery({
    queryKey: ['rehearsal', eventId, chosen],
    enabled: chosen !== '',
    retry: false,
    queryFn: () =>
      call<Partial<Schemas['AdoptionResponse']['data']>>(
        'POST',
        `/events/${eventId}/factor-set`,
        { factorSet: chosen },
        { 'X-Dry-Run': 'true' },
      ).then((answer) => answer.data),
  });
  if (others.length === 0) return null;
  const difference = rehearsal.data?.differenceKgCO2e;
  return (
    <Card withBorder component="section">
      <Title order={2} size="h4" mb={4}>
        {t('foot.rehearse')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('foot.rehearseText', { set: current })}
      </Text>
      <Group align="flex-end">
        <NativeSelect
          size="xs"
          label={t('foot.factorSet')}
          value={chosen}
          onChange={(e) => setChosen(e.currentTarget.value)}
          data={[{ value: '', label: '–' }, ...others.map((s) => s.id)]}
        />
        {rehearsal.isFetching && <Text size="sm">…</Text>}
        {difference != null && (
          <Text size="sm" role="status" className="figure" title={exact(difference)}>
            {t('foot.rehearsed', { difference: signed(difference) })}
          </Text>
        )}
      </Group>
      {rehearsal.isError && <Problem error={rehearsal.error} />}
    </Card>
  );
}
