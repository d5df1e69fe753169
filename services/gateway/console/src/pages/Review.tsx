import {
  ActionIcon,
  Alert,
  Anchor,
  Badge,
  Box,
  Button,
  Group,
  List,
  Modal,
  SegmentedControl,
  Skeleton,
  Stack,
  Switch,
  Table,
  Text,
  Textarea,
  Title,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, all, api, call, type Schemas, take } from '../api/client';
import { summary } from '../footprint/Parts';
import { amount, co2e, exact, percent, range, time } from '../format';
import { type Column, columnsOf, textOf } from '../sheet/columns';
import { Empty, Problem, useProblemText } from '../ui/states';
import { useEvent } from './Event';
import { type Item, type Order, orderQueue } from './queue';

type Move = 'approve' | 'request-changes' | 'reject' | 'reopen';
const undoSeconds = 10;
const keysOff = 'ecf.reviewKeysOff';

interface Pending {
  item: Item;
  tag: string;
  until: number;
}

export function ReviewPage(): ReactNode {
  const { t } = useTranslation();
  const text = useProblemText();
  const client = useQueryClient();
  const { eventId } = useEvent();
  const [order, setOrder] = useState<Order>('weight');
  const [keys, setKeys] = useState(localStorage.getItem(keysOff) !== '1');
  const [current, setCurrent] = useState<string | null>(null);
  const [marked, setMarked] = useState<Set<string>>(new Set());
  const [pending, setPending] = useState<Pending[]>([]);
  const [asking, setAsking] = useState<{ move: Move; items: Item[] } | null>(null);
  const [previewing, setPreviewing] = useState(false);
  const [decided, setDecided] = useState<{ item: Item; move: Move }[]>([]);
  const list = useRef<HTMLDivElement>(null);

  const queue = useQuery({
    queryKey: ['review', eventId],
    queryFn: () =>
      all((page) =>
        take(api.GET('/events/{eventId}/review', { params: { path: { eventId }, query: { page, limit: 100 } } })),
      ) as Promise<Item[]>,
    refetchInterval: 10_000,
  });
  // The first record is open from the beginning.
  const first = queue.data && current === null ? orderQueue(queue.data, order)[0]?._id : undefined;
  useEffect(() => {
    if (first !== undefined) setCurrent(first);
  }, [first]);
  const preview = useQuery({
    queryKey: ['preview', eventId],
    queryFn: () =>
      take(api.GET('/events/{eventId}/results/preview', { params: { path: { eventId } } })).catch((cause: unknown) => {
        if (cause instanceof ApiError && cause.code === 'RESULT_NOT_FOUND') return null;
        throw cause;
      }),
  });
  const held = new Set(pending.map((p) => p.item._id));
  const items = useMemo(() => orderQueue(queue.data ?? [], order), [queue.data, order]);
  const open = items.filter((i) => !held.has(i._id));
  const item = open.find((i) => i._id === current) ?? null;
  // What was looked at last, to say what became of it when it leaves the queue.
  const seen = useRef<Item | null>(null);
  if (item) seen.current = item;
  const gone =
    current !== null && !item && queue.isSuccess && !held.has(current) && !decided.some((d) => d.item._id === current);

  const refresh = (): void => {
    for (const key of ['review', 'preview', 'result']) void client.invalidateQueries({ queryKey: [key, eventId] });
  };
  const path = (i: Item): string => `/events/${eventId}/${i.type}/${i._id}`;
  const record = useQuery({
    queryKey: ['record', eventId, current],
    enabled: item !== null,
    queryFn: async () => (item ? call<Schemas['Record']>('GET', path(item)) : null),
  });

  const send = async (i: Item, move: Move, comment: string, tag: string): Promise<void> => {
    try {
      await call('POST', `${path(i)}/${move}`, comment ? { comment } : {}, {
        ...(tag ? { 'If-Match': tag } : {}),
        'Idempotency-Key': crypto.randomUUID(),
      });
      setDecided((d) => [{ item: i, move }, ...d.filter((x) => x.item._id !== i._id)].slice(0, 20));
    } catch (cause) {
      const changed = cause instanceof ApiError && (cause.status === 412 || cause.code === 'INVALID_TRANSITION');
      notifications.show({
        color: changed ? 'orange' : 'red',
        autoClose: 12_000,
        message: changed ? `${t('review.changed')} ${text(cause as Error)}` : text(cause as Error),
      });
    }
    refresh();
  };
  const sender = useRef(send);
  sender.current = send;

  // What was approved is sent when its time to undo is over; on leaving the page at once.
  const waiting = useRef<Pending[]>([]);
  waiting.current = pending;
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
      const due = waiting.current.filter((p) => p.until <= Date.now());
      if (due.length === 0) return;
      setPending((p) => p.filter((x) => !due.includes(x)));
      for (const p of due) void sender.current(p.item, 'approve', '', p.tag);
    }, 500);
    return () => {
      clearInterval(timer);
      for (const p of waiting.current) void sender.current(p.item, 'approve', '', p.tag);
    };
  }, []);

  const step = (by: number): void => {
    const at = open.findIndex((i) => i._id === current);
    const next = open[Math.max(0, Math.min(open.length - 1, at < 0 ? 0 : at + by))];
    if (next) setCurrent(next._id);
  };
  const approve = (i: Item): void => {
    const at = open.findIndex((x) => x._id === i._id);
    const tag = record.data?.data._id === i._id ? record.data.tag : '';
    setPending((p) => [...p, { item: i, tag, until: Date.now() + undoSeconds * 1000 }]);
    setCurrent(open[at + 1]?._id ?? open[at - 1]?._id ?? null);
    list.current?.focus();
  };
  const undo = (id: string): void => {
    setPending((p) => p.filter((x) => x.item._id !== id));
    setCurrent(id);
  };
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.ctrlKey || e.metaKey || e.altKey || !e.currentTarget.isSameNode(e.target as Node)) return;
    if (e.key === 'ArrowDown') step(1);
    else if (e.key === 'ArrowUp') step(-1);
    else if (e.key === ' ' && item) toggle(item._id);
    else if (!keys) return;
    else if (e.key === 'j') step(1);
    else if (e.key === 'k') step(-1);
    else if (e.key === 'a' && item) approve(item);
    else if (e.key === 'c' && item) setAsking({ move: 'request-changes', items: [item] });
    else if (e.key === 'r' && item) setAsking({ move: 'reject', items: [item] });
    else if (e.key === 'u' && pending.length > 0) undo(pending[pending.length - 1]?.item._id ?? '');
    else return;
    e.preventDefault();
  };
  const toggle = (id: string): void =>
    setMarked((m) => {
      const next = new Set(m);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const chosen = open.filter((i) => marked.has(i._id));

  if (queue.isPending)
    return (
      <Box p="md" role="status" aria-label={t('state.loading')}>
        <Skeleton h={300} />
      </Box>
    );
  if (queue.isError)
    return (
      <Box p="md" maw={800} mx="auto">
        <Problem error={queue.error} retry={() => void queue.refetch()} />
      </Box>
    );
  const base = preview.data?.basedOn;
  return (
    <div className="review">
      <Group className="toolbar" justify="space-between">
        <Group gap="md">
          <SegmentedControl
            size="xs"
            aria-label={t('review.order')}
            value={order}
            onChange={(v) => setOrder(v as Order)}
            data={[
              { value: 'weight', label: t('review.byWeight') },
              { value: 'age', label: t('review.byAge') },
            ]}
          />
          <Switch
            size="xs"
            label={t('review.keys')}
            checked={keys}
            onChange={(e) => {
              setKeys(e.currentTarget.checked);
              localStorage.setItem(keysOff, e.currentTarget.checked ? '0' : '1');
            }}
          />
        </Group>
        <Group gap="md">
          {preview.data && open.length > 0 && (
            <Text size="sm" className="figure" role="status">
              {t('review.ifApproved', {
                before: base ? co2e(base.total.kgCO2e) : co2e(0),
                after: co2e(preview.data.total.kgCO2e),
              })}
            </Text>
          )}
          {chosen.length > 0 && (
            <Group gap={6}>
              <Button size="compact-sm" onClick={() => setPreviewing(true)}>
                {t('review.approveMany', { count: chosen.length })}
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => setAsking({ move: 'request-changes', items: chosen })}
              >
                {t('review.changes')}
              </Button>
              <Button size="compact-sm" variant="default" onClick={() => setAsking({ move: 'reject', items: chosen })}>
                {t('review.reject')}
              </Button>
            </Group>
          )}
        </Group>
      </Group>
      {pending.length > 0 && (
        <Stack gap={4} px="md" py={6} className="undobar" role="status">
          {pending.map((p) => (
            <Group key={p.item._id} gap="sm">
              <Text size="sm">
                {t('review.approving', {
                  seconds: Math.max(0, Math.ceil((p.until - now) / 1000)),
                  what: summary(fieldsOnly(p.item)),
                })}
              </Text>
              <Button
                size="compact-xs"
                variant="default"
                leftSection={<IconArrowBackUp size={13} aria-hidden />}
                onClick={() => undo(p.item._id)}
              >
                {t('review.undo')}
              </Button>
            </Group>
          ))}
        </Stack>
      )}
      {gone && seen.current && (
        <Box px="md" pt="sm">
          <Elsewhere eventId={eventId} item={seen.current} />
        </Box>
      )}
      {open.length === 0 ? (
        <Empty title={t('review.empty')}>{t('review.emptyText')}</Empty>
      ) : (
        <div className="reviewsplit">
          <div
            ref={list}
            className="queue"
            role="listbox"
            tabIndex={0}
            aria-label={t('review.queue', { count: open.length })}
            aria-activedescendant={item ? `q-${item._id}` : undefined}
            aria-keyshortcuts={keys ? 'j k a c r u' : undefined}
            onKeyDown={onKeyDown}
            onFocus={() => {
              if (!item && open[0] && current === null) setCurrent(open[0]._id);
            }}
          >
            {open.map((i) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list itself has the focus and the keys
              <div
                key={i._id}
                id={`q-${i._id}`}
                role="option"
                tabIndex={-1}
                aria-selected={i._id === current}
                aria-checked={marked.has(i._id)}
                className="queueitem"
                onClick={() => setCurrent(i._id)}
                ref={(el) => {
                  if (i._id === current) el?.scrollIntoView({ block: 'nearest' });
                }}
              >
                {/* The option itself says whether it is marked; Space marks it. */}
                <span
                  className="marker"
                  aria-hidden
                  title={t('review.mark')}
                  data-marked={marked.has(i._id) || undefined}
                  onClick={(e) => {
                    e.stopPropagation();
                    toggle(i._id);
                  }}
                />
                <div className="queuetext">
                  <Group justify="space-between" wrap="nowrap" gap={6}>
                    <Text size="sm" fw={600} truncate>
                      {t(`type.${i.type as 'flights'}`, { defaultValue: i.type ?? '' })}
                    </Text>
                    <Text size="sm" className="figure" fw={600}>
                      {i.review.kgCO2e === null ? '–' : amount(i.review.kgCO2e)}
                    </Text>
                  </Group>
                  <Text size="xs" c="dimmed" truncate>
                    {summary(fieldsOnly(i))}
                  </Text>
                  <Group gap={6}>
                    <Text size="xs" c="dimmed">
                      {t('review.age', { hours: i.review.ageHours })}
                      {i.review.sharePercent !== null && ` · ${percent(i.review.sharePercent / 100)}`}
                    </Text>
                    {i.review.findings.length > 0 && (
                      <Badge size="xs" color="orange" variant="light" className="badge">
                        {t('review.findings', { count: i.review.findings.length })}
                      </Badge>
                    )}
                  </Group>
                </div>
              </div>
            ))}
          </div>
          <div className="decision">
            {!item && !gone && <Text c="dimmed">{t('review.choose')}</Text>}
            {item && (
              <Decision
                item={item}
                eventId={eventId}
                approve={() => approve(item)}
                ask={(move) => setAsking({ move, items: [item] })}
              />
            )}
          </div>
        </div>
      )}
      {decided.length > 0 && (
        <Box px="md" py="xs" component="section">
          <Title order={2} size="h6">
            {t('review.decided')}
          </Title>
          <List size="sm" listStyleType="none">
            {decided.map((d) => (
              <List.Item key={d.item._id}>
                <Group gap="sm">
                  <span>
                    {t(`move.${d.move}`)}: {summary(fieldsOnly(d.item))}
                  </span>
                  {(d.move === 'approve' || d.move === 'reject') && (
                    <ActionIcon
                      size="sm"
                      variant="subtle"
                      aria-label={t('review.takeBack')}
                      title={t('review.takeBack')}
                      onClick={() => setAsking({ move: 'reopen', items: [d.item] })}
                    >
                      <IconArrowBackUp size={14} aria-hidden />
                    </ActionIcon>
                  )}
                </Group>
              </List.Item>
            ))}
          </List>
        </Box>
      )}
      {asking && (
        <CommentModal
          asking={asking}
          close={() => {
            setAsking(null);
            list.current?.focus();
          }}
          done={async (comment) => {
            for (const i of asking.items)
              await send(
                i,
                asking.move,
                comment,
                asking.items.length === 1 && record.data?.data._id === i._id && asking.move !== 'reopen'
                  ? record.data.tag
                  : '',
              );
            setMarked(new Set());
            setAsking(null);
            list.current?.focus();
          }}
        />
      )}
      {previewing && (
        <ApproveMany
          eventId={eventId}
          items={chosen}
          close={() => setPreviewing(false)}
          done={(ids) => {
            setDecided((d) =>
              [...chosen.filter((i) => ids.has(i._id)).map((i) => ({ item: i, move: 'approve' as const })), ...d].slice(
                0,
                20,
              ),
            );
            setMarked(new Set());
            setPreviewing(false);
            refresh();
          }}
        />
      )}
    </div>
  );
}

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

function fieldsOnly(item: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).filter(([k]) => !state.has(k)));
}

function Decision({
  item,
  eventId,
  approve,
  ask,
}: {
  item: Item;
  eventId: string;
  approve: () => void;
  ask: (m: Move) => void;
}): ReactNode {
  const { t } = useTranslation();
  const types = useQuery({
    queryKey: ['types'],
    queryFn: () => take(api.GET('/record-types', { params: { query: { limit: 100 } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const info = types.data?.items.find((x) => x.type === item.type);
  const columns: Column[] = info ? columnsOf(info.schema) : [];
  const history = useQuery({
    queryKey: ['record-history', eventId, item._id, item.revision],
    queryFn: () =>
      take(
        api.GET('/events/{eventId}/{type}/{recordId}/history', {
          params: { path: { eventId, type: item.type ?? '', recordId: item._id }, query: { limit: 100 } },
        }),
      ),
  });
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
              <span className="dim">{range(item.footprint.low, item.footprint.high)}</span>
            </Text>
          )}
        </div>
        <Group gap={6}>
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
      </Group>
      {item.review.findings.map((f) => (
        <Alert key={f.code + f.message} color={f.severity === 'warning' ? 'orange' : 'blue'} p="xs">
          {f.message}
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
                      {textOf(c, item[c.field]).replaceAll('_', ' ')}
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
          <Text size="xs" c="dimmed" mt={4}>
            {info?.formula}
          </Text>
          {(item.footprint?.notices ?? []).map((n) => (
            <Text key={n.code + n.message} size="xs" c="dimmed">
              {n.message}
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
          <List size="sm" listStyleType="none" spacing={4}>
            {(history.data?.items ?? []).map((h) => (
              <List.Item key={h.revision + h.action}>
                <b>{t(`move.${h.action}`)}</b> {h.by.name}, {time(h.at)}
                {h.changed && h.changed.length > 0 && (
                  <Text size="xs" c="dimmed">
                    {h.changed.join(', ')}
                  </Text>
                )}
                {h.comment && <Text size="sm">“{h.comment}”</Text>}
              </List.Item>
            ))}
          </List>
        </section>
      </div>
    </Stack>
  );
}

/** Says what became of the record that was looked at and has left the queue. */
function Elsewhere({ item, eventId }: { item: Item; eventId: string }): ReactNode {
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
        ? t('review.elsewhereBy', { status: t(`status.${r.status}`), name: r.reviewedBy.name })
        : t('review.elsewhereText')}
    </Alert>
  );
}

function CommentModal({
  asking,
  close,
  done,
}: {
  asking: { move: Move; items: Item[] };
  close: () => void;
  done: (comment: string) => Promise<void>;
}): ReactNode {
  const { t } = useTranslation();
  const [comment, setComment] = useState('');
  const [busy, setBusy] = useState(false);
  return (
    <Modal
      opened
      onClose={close}
      title={t(`ask.${asking.move as 'reject'}`, { count: asking.items.length })}
      closeButtonProps={{ 'aria-label': t('state.close') }}
    >
      <form
        onSubmit={(e) => {
          e.preventDefault();
          setBusy(true);
          void done(comment).finally(() => setBusy(false));
        }}
      >
        <Stack>
          <Textarea
            label={t('ask.why')}
            description={t('ask.hint')}
            value={comment}
            onChange={(e) => setComment(e.currentTarget.value)}
            required
            maxLength={2000}
            autosize
            minRows={3}
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('state.cancel')}
            </Button>
            <Button type="submit" loading={busy} disabled={comment.trim() === ''}>
              {t(`review.${asking.move === 'reject' ? 'reject' : asking.move === 'reopen' ? 'takeBack' : 'changes'}`)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface Outcomes {
  items: { _id?: string; record?: Schemas['Record']; error?: Schemas['Error'] }[];
  succeeded: number;
  failed: number;
}

/** Shows what the server would do with each record before it is asked to. */
function ApproveMany({
  eventId,
  items,
  close,
  done,
}: {
  eventId: string;
  items: Item[];
  close: () => void;
  done: (ids: Set<string>) => void;
}): ReactNode {
  const { t } = useTranslation();
  const text = useProblemText();
  const ids = items.map((i) => i._id);
  const [busy, setBusy] = useState(false);
  const send = async (dry: boolean): Promise<Outcomes['items']> => {
    const outcomes: Outcomes['items'] = [];
    for (let n = 0; n < ids.length; n += 100) {
      const { data } = await call<Outcomes>(
        'POST',
        `/events/${eventId}/review/approve`,
        { ids: ids.slice(n, n + 100) },
        dry ? { 'X-Dry-Run': 'true' } : { 'Idempotency-Key': crypto.randomUUID() },
      );
      outcomes.push(...data.items);
    }
    return outcomes;
  };
  const dry = useQuery({
    queryKey: ['approve-many', eventId, ids],
    queryFn: () => send(true),
    staleTime: 0,
    retry: false,
  });
  const refused = dry.data?.filter((o) => o.error) ?? [];
  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      title={t('review.approveMany', { count: ids.length })}
      closeButtonProps={{ 'aria-label': t('state.close') }}
    >
      {dry.isPending && <Skeleton h={80} />}
      {dry.isError && <Problem error={dry.error} />}
      {dry.data && (
        <Stack>
          <Text>{t('review.would', { count: dry.data.length - refused.length })}</Text>
          {refused.map((o) => (
            <Alert key={o._id} color="orange" p="xs">
              {o.error?.message}
            </Alert>
          ))}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('state.cancel')}
            </Button>
            <Button
              loading={busy}
              disabled={dry.data.length === refused.length}
              data-autofocus
              onClick={() => {
                setBusy(true);
                send(false).then(
                  (o) => {
                    const failed = o.filter((x) => x.error);
                    if (failed.length > 0) notifications.show({ color: 'orange', message: failed[0]?.error?.message });
                    done(new Set(o.filter((x) => x.record).map((x) => x.record?._id ?? '')));
                  },
                  (cause: Error) => {
                    setBusy(false);
                    notifications.show({ color: 'red', message: text(cause) });
                  },
                );
              }}
            >
              {t('review.approve')}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
