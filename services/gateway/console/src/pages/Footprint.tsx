import {
  Alert,
  Anchor,
  Badge,
  Box,
  Card,
  Group,
  List,
  SegmentedControl,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { useFactorSets } from '../api/factorSets';
import { resultOf } from '../api/result';
import { useAbout } from '../footprint/explained';
import { History } from '../footprint/History';
import { OriginMap } from '../footprint/OriginMap';
import { Parts } from '../footprint/Parts';
import { Rehearsal } from '../footprint/Rehearsal';
import { amount, co2e, exact, percent, range } from '../format';
import { say } from '../i18n/server';
import { useSession } from '../session';
import { Problem } from '../ui/states';
import { Stated } from './Compensation';
import { isClosed, NothingYet, useEvent } from './Event';
import { nextListing } from './listing';

type Result = Schemas['Result'];
type Finding = NonNullable<Result['findings']>[number];

export function FootprintPage(): ReactNode {
  const { t } = useTranslation();
  const { eventId, query } = useEvent();
  const { can } = useSession();
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
  useFactorSets(); // what notices call them
  const [by, setBy] = useState<'type' | 'scope' | 'group' | 'stage'>('type');
  if (result.isPending)
    return (
      <Box p="md" maw={1100} mx="auto" role="status" aria-label={t('state.loading')}>
        <Skeleton h={140} mb="md" />
        <Skeleton h={300} />
      </Box>
    );
  if (result.isLoadingError)
    return (
      <Box p="md" maw={800} mx="auto">
        <Problem error={result.error} retry={() => void result.refetch()} />
      </Box>
    );
  const r = result.data;
  const event = query.data?.data;
  const tag = query.data?.tag;
  if (!r || !event)
    return (
      <NothingYet title={t('foot.none')} eventId={eventId} event={event}>
        {t('foot.noneText')}
      </NothingYet>
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
        <Parts result={r} by={by} />
      </Card>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <MeasureNext result={r} />
        <Findings result={r} />
      </SimpleGrid>
      <Stated list={event.compensation ?? []} />
      <History eventId={eventId} newest={r.revision} />
      {can('user') && <OriginMap event={event} />}
      {can('manager') && tag && <Rehearsal event={event} tag={tag} closed={isClosed(event)} />}
    </Stack>
  );
}

/** What of a total may be other than measured. */
const qualities = ['calculated', 'estimated', 'extrapolated', 'assumed'] as const;

function Hero({ result: r, event }: { result: Result; event: Schemas['Event'] }): ReactNode {
  const { t } = useTranslation();
  const excluded = event.boundary?.excluded ?? [];
  const waiting = (r.counts?.submitted ?? 0) + (r.counts?.inReview ?? 0);
  const drafts = r.counts?.unsubmitted ?? 0;
  const returned = r.counts?.changesRequested ?? 0;
  return (
    <section className="hero" aria-label={t('foot.total')}>
      <Group gap="sm" align="baseline">
        <Text className="bignumber figure" title={exact(r.total.kgCO2e)} aria-live="polite">
          {co2e(r.total.kgCO2e)}
        </Text>
        <Text size="lg" c="dimmed" className="figure">
          {range(r.total.low, r.total.high, r.total.kgCO2e)}
        </Text>
        {r.status === 'recalculating' && (
          <Badge variant="light" color="blue" className="badge" role="status">
            {t('foot.recalculating')}
          </Badge>
        )}
      </Group>
      <Text>
        {t('foot.sentence', {
          range: range(r.total.low, r.total.high, r.total.kgCO2e),
          count: r.counts?.approved ?? 0,
        })}{' '}
        {excluded.length > 0
          ? t('foot.excluded', {
              list: excluded
                .map(
                  (x) =>
                    `${t(`type.${x.type as 'flights'}`, { defaultValue: x.type })} (${x.reason.replace(/\.$/, '')})`,
                )
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
          note={qualities
            .filter((q) => r.dataQuality[`${q}Share`] > 0)
            .map((q) => t(`foot.${q}`, { share: percent(r.dataQuality[`${q}Share`]) }))
            .join(', ')}
        />
        <Fact
          label={t('foot.waiting')}
          value={t('bar.rows', { count: waiting })}
          note={[
            drafts > 0 && t('foot.drafts', { count: drafts }),
            returned > 0 && t('foot.returned', { count: returned }),
          ]
            .filter(Boolean)
            .join(' ')}
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

function MeasureNext({ result: r }: { result: Result }): ReactNode {
  const { t } = useTranslation();
  const list = (r.measureNext ?? []).slice(0, 5);
  const about = useAbout(
    r,
    list.map((m) => m.recordId),
  );
  return (
    <Card withBorder component="section">
      <Title order={2} size="h4" mb={4}>
        {t('foot.measureNext')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('foot.measureNextText')}
      </Text>
      <List size="sm" spacing={6} type="ordered">
        {list.map((m) => (
          <List.Item key={m.recordId}>
            <Anchor
              className="target"
              size="sm"
              component={Link}
              to={`/events/${r.eventId}/sheet?type=${m.type}&record=${m.recordId}`}
            >
              {[t(`type.${m.type as 'flights'}`, { defaultValue: m.type }), about(m.recordId)]
                .filter(Boolean)
                .join(': ')}
            </Anchor>
            <Text size="xs" c="dimmed" className="figure">
              {amount(m.kgCO2e)} · {t('foot.shareOfRange', { share: percent(m.varianceShare) })}
            </Text>
          </List.Item>
        ))}
      </List>
    </Card>
  );
}

/** The maximum number of records that are named for a finding. */
const namedMax = 3;

/** A finding, with links to its records. */
function Odd({ finding: f, result }: { finding: Finding; result: Result }): ReactNode {
  const { t } = useTranslation();
  const named = f.recordIds.slice(0, namedMax);
  const about = useAbout(result, named);
  const others = Math.max(f.records ?? 0, f.recordIds.length) - named.length;
  return (
    <Alert role="note" color={f.severity === 'warning' ? 'orange' : 'blue'} p="xs">
      <Text size="sm">{say('finding', f)}</Text>
      {named.map((id, n) => (
        <Anchor
          key={id}
          className="target"
          size="sm"
          mr="sm"
          component={Link}
          to={`/events/${result.eventId}/sheet?type=all&record=${id}`}
        >
          {about(id) || (named.length === 1 ? t('foot.toRecord') : t('foot.record', { n: n + 1 }))}
        </Anchor>
      ))}
      {others > 0 && (
        <Text span size="sm">
          {t('foot.moreRecords', { count: others })}
        </Text>
      )}
    </Alert>
  );
}

function Findings({ result: r }: { result: Result }): ReactNode {
  const { t } = useTranslation();
  const findings = r.findings ?? [];
  // Of findings with one code the first is shown, the others are collapsed.
  const kinds = new Map<string, Finding[]>();
  for (const f of findings) kinds.set(f.code, [...(kinds.get(f.code) ?? []), f]);
  return (
    <Card withBorder component="section">
      <Title order={2} size="h4" mb="sm">
        {t('foot.findings')}
      </Title>
      {findings.length === 0 && <Text size="sm">{t('foot.noFindings')}</Text>}
      <Stack gap="xs">
        {[...kinds].map(([code, [first, ...others]]) => (
          <Fragment key={code}>
            {first && <Odd finding={first} result={r} />}
            {others.length > 0 && (
              <details>
                <summary>{t('foot.sameKind', { count: others.length })}</summary>
                <Stack gap="xs" mt="xs">
                  {others.map((f) => (
                    <Odd key={f.message} finding={f} result={r} />
                  ))}
                </Stack>
              </details>
            )}
          </Fragment>
        ))}
        {(r.notices ?? []).map((n) => (
          <Text key={n.code + n.message} size="sm" c="dimmed">
            {say('notice', n)}
          </Text>
        ))}
      </Stack>
    </Card>
  );
}
