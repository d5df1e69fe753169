import { ActionIcon, Alert, Anchor, Box, Group, NativeSelect, Skeleton, Table, Text, Title } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, take } from '../api/client';
import { useEvents, waitingIn } from '../api/events';
import { setName, useFactorSets } from '../api/factorSets';
import { resultQuery } from '../api/result';
import { amount, co2e, dates, exact, number, percent, range, signed } from '../format';
import { useSession } from '../session';
import { Empty, Problem } from '../ui/states';
import { Wide } from '../ui/Wide';
import { chosenOf, differenceOf, differing, hasFigure, kindOf, kindsOf, most } from './comparison';

/** The figures of events side by side, as served; the events are part of the URL. */
export function ComparePage(): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: '/compare' });
  const { events: asked } = useSearch({ from: '/compare' });
  const events = useEvents();
  const list = events.data ?? [];
  const chosen = chosenOf(asked, list);
  const results = useQueries({
    queries: chosen.map((id) => ({ ...resultQuery(id), staleTime: 30_000 })),
  });
  const choose = (ids: string[]): void => void navigate({ search: { events: ids.join(',') }, replace: true });
  const left = list.filter((e) => !chosen.includes(e._id));
  const without = asked === undefined ? left.filter((e) => !hasFigure(e)) : [];
  const failed = results.find((r) => r.isLoadingError);
  return (
    <Box maw={1200} mx="auto" p="md" w="100%">
      <Title order={1} size="h2" mb={4}>
        {t('compare.title')}
      </Title>
      {events.isPending && (
        <Box role="status" aria-label={t('state.loading')}>
          <Skeleton h={300} />
        </Box>
      )}
      {events.isLoadingError && <Problem error={events.error} retry={() => void events.refetch()} />}
      {failed?.error && <Problem error={failed.error} retry={() => void failed.refetch()} />}
      {events.data && list.length < 2 && (
        <Empty
          title={t('compare.none')}
          action={
            <Anchor component={Link} to="/">
              {t('event.back')}
            </Anchor>
          }
        >
          {t('compare.noneText')}
        </Empty>
      )}
      {list.length >= 2 && (
        <>
          <Sides
            columns={chosen.map((id, n) => ({
              event: list.find((e) => e._id === id) as Schemas['Event'],
              result: results[n]?.data,
              pending: results[n]?.isPending ?? true,
            }))}
            others={left}
            replace={(n, id) => choose(chosen.flatMap((x, at) => (at !== n ? [x] : id ? [id] : [])))}
          />
          {chosen.length < most && left[0] && (
            <Group mt="sm" className="unprinted">
              <NativeSelect
                aria-label={t('compare.add')}
                value=""
                onChange={(e) => choose([...chosen, e.currentTarget.value])}
                data={[
                  { value: '', label: t('compare.add') },
                  ...left.map((e) => ({ value: e._id, label: choiceOf(e, t) })),
                ]}
              />
            </Group>
          )}
          {without.length > 0 && (
            <Text size="sm" c="dimmed" mt="sm" className="wrap">
              {t('compare.without', { count: without.length, list: titlesOf(without) })}
            </Text>
          )}
        </>
      )}
    </Box>
  );
}

const nameOf = (e: Schemas['Event']): string =>
  [e.title, e.startDate && dates(e.startDate, e.endDate)].filter(Boolean).join(', ');

/** An event to choose from; one that would add an empty column is marked. */
const choiceOf = (e: Schemas['Event'], t: TFunction): string =>
  hasFigure(e) ? nameOf(e) : `${nameOf(e)} (${t('events.nothingApproved')})`;

const titlesMax = 8;

/** Returns the titles of events, of many the first ones. */
const titlesOf = (events: Schemas['Event'][]): string =>
  events
    .slice(0, titlesMax)
    .map((e) => e.title)
    .join(', ') + (events.length > titlesMax ? ', …' : '');

/**
 * Returns what the other events come to with the factors of the first one, as the server calculates it. It does so for
 * managers; in the place of an event that needs none, or whose figure cannot be had, stands nothing.
 */
function useAlike(columns: Side[]): (Schemas['Effect'] | undefined)[] {
  const { can } = useSession();
  const set = columns[0]?.result?.factorSet.id;
  const effects = useQueries({
    queries: columns.map(({ event, result }) => ({
      queryKey: ['alike', event._id, result?.revision, set],
      enabled: can('manager') && set !== undefined && Boolean(result) && result?.factorSet.id !== set,
      retry: false,
      staleTime: 30_000,
      // An event of a team may be another one's to change: then its figure by other factors is missing, and nothing else.
      meta: { untold: true },
      queryFn: () =>
        take(
          api.POST('/events/{eventId}/results/rehearsal', {
            params: { path: { eventId: event._id } },
            body: { factorSet: set },
          }),
        ),
    })),
  });
  return effects.map((e) => e.data);
}

interface Side {
  event: Schemas['Event'];
  /** Null if nothing is approved, undefined until loaded. */
  result: Schemas['Result'] | null | undefined;
  pending: boolean;
}

interface SidesProps {
  columns: Side[];
  /** The events that are not shown. */
  others: Schemas['Event'][];
  /** Shows another event in a column; none takes the column out. */
  replace: (column: number, id: string) => void;
}

function Sides({ columns, others, replace }: SidesProps): ReactNode {
  const { t } = useTranslation();
  useFactorSets(); // what they are called
  const counted = columns.filter((c) => c.result);
  const results = counted.map((c) => c.result as Schemas['Result']);
  const unlike = differing(
    results,
    counted.map((c) => c.event),
  );
  // One scale for all bars, of types and totals.
  const largest = Math.max(...results.map((r) => r.total.kgCO2e), 0);
  const line = (label: string, cell: (c: Side) => ReactNode): ReactNode => (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        {label}
      </Table.Th>
      {columns.map((c) => (
        <Table.Td key={c.event._id} className="figure">
          {cell(c)}
        </Table.Td>
      ))}
    </Table.Tr>
  );
  const row = (label: string, cell: (r: Schemas['Result']) => ReactNode): ReactNode =>
    line(label, (c) => (c.result ? cell(c.result) : '–'));
  const first = columns[0];
  const alike = useAlike(columns);
  /** What a figure of a column differs by from that of the first one. */
  const against = (c: Side, of: (r: Schemas['Result']) => number | null | undefined): ReactNode =>
    c !== first && c.result && first?.result && <Against value={of(c.result)} first={of(first.result)} />;
  const kg = (of: (r: Schemas['Result']) => number | null | undefined) => (c: Side) => {
    const value = c.result && of(c.result);
    return value === null || value === undefined ? (
      '–'
    ) : (
      <>
        <span title={exact(value)}>{amount(value)}</span>
        {against(c, of)}
      </>
    );
  };
  const heading = (label: string): ReactNode => (
    <Table.Tr>
      <Table.Th scope="rowgroup" colSpan={columns.length + 1} c="dimmed">
        {label}
      </Table.Th>
    </Table.Tr>
  );
  return (
    <>
      {unlike.length > 0 && (
        <Alert color="orange" my="sm" role="status">
          {t('compare.unlike', { list: unlike.map((w) => t(`field.${w}`)).join(', ') })}
          {unlike.includes('factorSet') && (
            <ul className="plain">
              {counted.map((c) => (
                <li key={c.event._id} className="wrap">
                  {t('compare.set', { title: c.event.title, set: setName(c.result?.factorSet.id ?? '') })}
                </li>
              ))}
            </ul>
          )}
        </Alert>
      )}
      {first?.result && counted.length > 1 && (
        <Text size="sm" c="dimmed" my="xs" className="wrap">
          {t('compare.against', { title: first.event.title })}
        </Text>
      )}
      <Wide label={t('compare.title')} least={140 + columns.length * 190}>
        <Table className="compare" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Td />
              {columns.map((c, n) => (
                <Table.Th key={c.event._id} scope="col">
                  <Anchor component={Link} to={`/events/${c.event._id}/footprint`} fw={600} className="wrap">
                    {c.event.title}
                  </Anchor>
                  <Text size="xs" c="dimmed">
                    {dates(c.event.startDate, c.event.endDate)}
                  </Text>
                  <Group gap={6} mt={4} wrap="nowrap" className="unprinted">
                    {others.length > 0 && (
                      <NativeSelect
                        size="xs"
                        flex={1}
                        miw={0}
                        aria-label={t('compare.instead', { title: c.event.title })}
                        value={c.event._id}
                        onChange={(e) => replace(n, e.currentTarget.value)}
                        data={[c.event, ...others].map((e) => ({ value: e._id, label: choiceOf(e, t) }))}
                      />
                    )}
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('compare.drop', { title: c.event.title })}
                      onClick={() => replace(n, '')}
                    >
                      <IconX size={14} aria-hidden />
                    </ActionIcon>
                  </Group>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {line(t('foot.total'), (c) =>
              c.result ? (
                <>
                  <Total of={c.result} largest={largest} />
                  {against(c, (r) => r.total.kgCO2e)}
                </>
              ) : c.pending ? (
                '…'
              ) : (
                t('events.nothingApproved')
              ),
            )}
            {first?.result &&
              alike.some(Boolean) &&
              line(t('compare.alike', { set: setName(first.result.factorSet.id) }), (c) => (
                <Alike side={c} effect={alike[columns.indexOf(c)]} first={first} />
              ))}
            {line(
              t('foot.perAttendee'),
              kg((r) => r.perAttendeeKg),
            )}
            {line(
              t('foot.perDay'),
              kg((r) => r.perAttendeeDayKg),
            )}
            {line(t('event.attendees'), (c) => (c.event.attendees === undefined ? '–' : number(c.event.attendees)))}
            {results.length > 0 && heading(t('compare.kinds'))}
            {kindsOf(results).map((type) => (
              <KindRow key={type} type={type} columns={columns} largest={largest} />
            ))}
            {results.length > 0 && heading(t('compare.how'))}
            {row(t('field.factorSet'), (r) => setName(r.factorSet.id))}
            {row(t('field.radiativeForcing'), (r) =>
              t(r.method.radiativeForcing === false ? 'try.rf_no' : 'try.rf_yes'),
            )}
            {row(t('field.gwp'), (r) => t(`try.gwp_${r.method.gwp ?? 'published'}`))}
            {line(t('foot.waiting'), (c) => t('foot.records', { count: waitingIn(c.event) }))}
          </Table.Tbody>
        </Table>
      </Wide>
    </>
  );
}

function Total({ of: r, largest }: { of: Schemas['Result']; largest: number }): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <Text fw={650} title={exact(r.total.kgCO2e)}>
        {co2e(r.total.kgCO2e)}
      </Text>
      <Text size="xs" c="dimmed">
        {range(r.total.low, r.total.high, r.total.kgCO2e)}
        {r.status === 'recalculating' && ` · ${t('foot.recalculating')}`}
      </Text>
      <Share of={r.total.kgCO2e} largest={largest} />
    </>
  );
}

/** A total by the factors of the first event, and how much of the difference is due to those the event has. */
function Alike({ side, effect, first }: { side: Side; effect: Schemas['Effect'] | undefined; first: Side }): ReactNode {
  const { t } = useTranslation();
  const own = side.result?.total.kgCO2e;
  const after = effect?.after?.total.kgCO2e;
  if (own !== undefined && side.result?.factorSet.id === first.result?.factorSet.id)
    return <span title={exact(own)}>{amount(own)}</span>;
  if (after === undefined) return '–';
  return (
    <>
      <span title={exact(after)}>{amount(after)}</span>
      <Against value={after} first={first.result?.total.kgCO2e} />
      <Text size="xs" c="dimmed">
        {t('compare.dueToSet', { difference: signed(-(effect?.differenceKgCO2e ?? 0)) })}
      </Text>
    </>
  );
}

/** What a figure differs by from the first one; nothing where there is not both. */
function Against({ value, first }: { value: number | null | undefined; first: number | null | undefined }): ReactNode {
  const difference = differenceOf(value, first);
  if (!difference) return null;
  const { by, share } = difference;
  return (
    <Text size="xs" c="dimmed" mt={3}>
      {signed(by)}
      {share !== undefined && share !== 0 && ` (${share > 0 ? '+' : '−'}${percent(Math.abs(share))})`}
    </Text>
  );
}

/** The size of a figure relative to the largest total. */
function Share({ of, largest }: { of: number; largest: number }): ReactNode {
  return (
    <div className="bartrack" aria-hidden>
      <div className="bar" style={{ width: `${largest > 0 ? Math.min(100, (of / largest) * 100) : 0}%` }} />
    </div>
  );
}

/** The figures of one record type in each of the events; excluded types are marked. */
function KindRow({ type, columns, largest }: { type: string; columns: Side[]; largest: number }): ReactNode {
  const { t } = useTranslation();
  const first = columns[0];
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        {t(`type.${type as 'flights'}`, { defaultValue: type })}
      </Table.Th>
      {columns.map((c) => {
        const part = c.result?.byType.find((p) => p.type === type);
        const excluded = c.event.boundary?.excluded?.some((x) => x.type === type);
        return (
          <Table.Td key={c.event._id} className="figure">
            {part ? (
              <>
                <span title={exact(part.kgCO2e)}>{amount(part.kgCO2e)}</span>
                <Share of={part.kgCO2e} largest={largest} />
              </>
            ) : (
              <Text span size="sm" c="dimmed">
                {excluded ? t('compare.excluded') : '–'}
              </Text>
            )}
            {first && c !== first && (
              <Against value={kindOf(type, c.result, c.event)} first={kindOf(type, first.result, first.event)} />
            )}
          </Table.Td>
        );
      })}
    </Table.Tr>
  );
}
