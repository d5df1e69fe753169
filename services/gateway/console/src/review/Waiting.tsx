import { Alert, Box, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, api, take } from '../api/client';
import { sayError } from '../i18n/server';
import { decidesOn, useEvent } from '../pages/Event';
import { type Item, type Move, type Order, orderQueue } from '../pages/queue';
import { useSession } from '../session';
import { Problem, useProblemText } from '../ui/states';
import { ApproveMany } from './ApproveMany';
import { CommentModal } from './CommentModal';
import { Decided } from './Decided';
import { Decision, Elsewhere } from './Decision';
import { decide, decideOne, hasMoved, type Outcome } from './decide';
import { NothingWaits } from './NothingWaits';
import { PrintedQueue } from './PrintedQueue';
import { Queue, QueueLoading } from './Queue';
import { Undo } from './Undo';
import { useApprovals } from './useApprovals';
import { keysAreOn, WaitingBar } from './WaitingBar';
import { useQueue } from './waiting';

/** The records of an event that wait for a decision, and the one that is decided on. */
export function Waiting({ outcomes }: { outcomes: ReactNode }): ReactNode {
  const { t } = useTranslation();
  const text = useProblemText();
  const client = useQueryClient();
  const { eventId, query } = useEvent();
  const { me } = useSession();
  const decides = query.data === undefined || decidesOn(query.data.data, me);
  const [order, setOrder] = useState<Order>('weight');
  const [keys, setKeys] = useState(keysAreOn);
  const [current, setCurrent] = useState<string | null>(null);
  const [marked, setMarked] = useState<Set<string>>(new Set());
  const [asking, setAsking] = useState<{ move: Move; items: Item[] } | null>(null);
  const [previewing, setPreviewing] = useState(false);
  const [decided, setDecided] = useState<{ item: Item; move: Move }[]>([]);
  const list = useRef<HTMLDivElement>(null);

  const queue = useQueue(eventId);
  const whole = queue.data?.took !== undefined;
  const preview = useQuery({
    queryKey: ['preview', eventId],
    queryFn: () =>
      take(api.GET('/events/{eventId}/results/preview', { params: { path: { eventId } } })).catch((cause: unknown) => {
        if (cause instanceof ApiError && cause.code === 'RESULT_NOT_FOUND') return null;
        throw cause;
      }),
  });
  /** Reads again what a decision changes; settles when the queue is that of the server. */
  const refresh = (): Promise<void> => {
    for (const key of ['preview', 'result', 'event']) void client.invalidateQueries({ queryKey: [key, eventId] });
    return client.invalidateQueries({ queryKey: ['review', eventId] });
  };
  // The revisions that were decided on here: a list that was read before the decision has them still.
  const past = useRef(new Map<string, number>());
  const tell = (items: Item[], move: Move): void => {
    for (const i of items) past.current.set(i._id, i.revision);
    setDecided((d) => {
      const ids = new Set(items.map((i) => i._id));
      return [...items.map((item) => ({ item, move })), ...d.filter((x) => !ids.has(x.item._id))].slice(0, 20);
    });
  };
  const send = async (i: Item): Promise<void> => {
    try {
      await decideOne(eventId, 'approve', i);
      tell([i], 'approve');
      void refresh();
    } catch (cause) {
      const moved = cause instanceof ApiError && hasMoved(cause.code);
      notifications.show({
        color: moved ? 'orange' : 'red',
        autoClose: 12_000,
        message: moved ? t('review.changed') : text(cause as Error),
      });
      await refresh();
    }
  };
  const { pending, undoable, hold, release, sending } = useApprovals(send);
  const held = new Set(pending.map((p) => p.item._id));
  const items = useMemo(() => orderQueue(queue.data?.items ?? [], order), [queue.data?.items, order]);
  const open = items.filter((i) => !held.has(i._id) && i.revision > (past.current.get(i._id) ?? 0));
  const left = open.length + (queue.data ? queue.data.total - queue.data.items.length : 0);
  // The first record is open as soon as it is known which one that is.
  const first = whole && current === null ? open[0]?._id : undefined;
  useEffect(() => {
    if (first !== undefined) setCurrent(first);
  }, [first]);
  const item = open.find((i) => i._id === current) ?? null;
  // What was looked at last, to say what became of it when it leaves the queue.
  const seen = useRef<Item | null>(null);
  if (item) seen.current = item;
  const gone =
    current !== null && !item && queue.isSuccess && !held.has(current) && !decided.some((d) => d.item._id === current);

  /** Decides with a comment; records left undecided by a failure remain in the dialog, with the comment. */
  const decideAll = async (move: Move, items: Item[], comment: string): Promise<void> => {
    const heard: Outcome[] = [];
    // What was decided here has moved on since it was shown, by that decision.
    const subjects = move === 'reopen' ? items.map(({ _id }) => ({ _id })) : items;
    try {
      await decide(eventId, move, subjects, { comment, heard: (part) => heard.push(...part) });
    } finally {
      tell(
        items.filter((_, n) => heard[n]?.record),
        move,
      );
      const refused = heard.flatMap((o) => (o.error ? [o.error] : []));
      const [error] = refused;
      if (error)
        notifications.show({
          color: 'orange',
          autoClose: 12_000,
          message: hasMoved(error.code)
            ? t('review.changed', { count: refused.length })
            : `${t('review.notDecided', { count: refused.length })} ${sayError(error)}`,
        });
      if (heard.length > 0 && heard.length < items.length) setAsking({ move, items: items.slice(heard.length) });
      const read = refresh();
      if (error || move === 'reopen') await read; // what it is about is in the queue then, as it is now
    }
  };
  const step = (by: number): void => {
    const at = open.findIndex((i) => i._id === current);
    const next = open[Math.max(0, Math.min(open.length - 1, at < 0 ? 0 : at + by))];
    if (next) setCurrent(next._id);
  };
  /** The record to select after a decision: the next remaining one, else the previous one. */
  const after = (gone: Item[]): string | null => {
    const ids = new Set(gone.map((i) => i._id));
    const at = open.findIndex((i) => ids.has(i._id));
    const left = (i: Item): boolean => !ids.has(i._id);
    return (open.slice(at).find(left) ?? open.slice(0, Math.max(0, at)).findLast(left))?._id ?? null;
  };
  /** Takes the focus back to the queue or, where nothing waits any more, to the page. */
  const goOn = (): void => void setTimeout(() => (list.current ?? document.getElementById('main'))?.focus());
  const approve = (i: Item): void => {
    hold(i);
    setCurrent(after([i]));
    list.current?.focus();
  };
  const undo = (id: string): void => {
    release(id);
    setCurrent(id);
    goOn();
  };
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.ctrlKey || e.metaKey || e.altKey || !e.currentTarget.isSameNode(e.target as Node)) return;
    const key = e.shiftKey ? e.key : e.key.toLowerCase(); // as well with caps lock
    if (key === 'arrowdown') step(1);
    else if (key === 'arrowup') step(-1);
    else if (key === 'home') step(Number.NEGATIVE_INFINITY);
    else if (key === 'end') step(Number.POSITIVE_INFINITY);
    else if (key === ' ' && item) toggle(item._id);
    else if (!keys || !decides) return;
    else if (key === 'j') step(1);
    else if (key === 'k') step(-1);
    else if (key === 'a' && item) approve(item);
    else if (key === 'c' && item) setAsking({ move: 'request-changes', items: [item] });
    else if (key === 'r' && item) setAsking({ move: 'reject', items: [item] });
    else if (key === 'u' && undoable.length > 0) undo(undoable[undoable.length - 1]?.item._id ?? '');
    else return;
    e.preventDefault();
  };
  const toggle = (id: string): void =>
    setMarked((m) => {
      const next = new Set(m);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  // When the last record is removed while the queue has the focus, focus the page.
  const none = whole && left === 0;
  const had = useRef(false);
  had.current ||= open.length > 0;
  useEffect(() => {
    if (none && had.current && document.activeElement === document.body)
      document.getElementById('main')?.focus({ preventScroll: true });
  }, [none]);
  const chosen = decides ? open.filter((i) => marked.has(i._id)) : [];

  return (
    <div className="review">
      <WaitingBar
        outcomes={outcomes}
        order={order}
        setOrder={setOrder}
        keys={keys}
        setKeys={setKeys}
        preview={open.length > 0 ? (preview.data ?? undefined) : undefined}
        decides={decides}
        open={open}
        left={left}
        chosen={chosen}
        mark={(items) => setMarked(new Set(items.map((i) => i._id)))}
        approveMany={() => setPreviewing(true)}
        ask={(move) => setAsking({ move, items: chosen })}
      />
      {!decides && (
        <Alert className="eventnote" color="blue" py={6}>
          {t('team.notReviewer')}
        </Alert>
      )}
      {undoable.length > 0 && <Undo pending={undoable} undo={undo} />}
      {gone && seen.current && (
        <Box px="md" pt="sm">
          <Elsewhere eventId={eventId} item={seen.current} />
        </Box>
      )}
      {queue.isPending ? (
        <QueueLoading />
      ) : queue.isLoadingError ? (
        <Box p="md" maw={800} mx="auto">
          <Problem error={queue.error} retry={() => void queue.refetch()} />
        </Box>
      ) : none ? (
        <NothingWaits event={query.data?.data} />
      ) : (
        <div className="reviewsplit">
          <div
            ref={list}
            className="queue"
            role="listbox"
            tabIndex={0}
            aria-label={t('review.queue', { count: left })}
            aria-busy={!whole}
            aria-activedescendant={item ? `q-${item._id}` : undefined}
            aria-keyshortcuts={keys ? 'j k a c r u' : undefined}
            onKeyDown={onKeyDown}
            onFocus={() => {
              if (!item && open[0] && current === null) setCurrent(open[0]._id);
            }}
          >
            <Queue
              items={open}
              count={left}
              current={current}
              marked={marked}
              scroller={list}
              choose={(id) => {
                setCurrent(id);
                list.current?.focus({ preventScroll: true }); // the list has the keys, not the record that was clicked
              }}
              toggle={toggle}
            />
          </div>
          <div className="decision">
            {!item && !gone && <Text c="dimmed">{t('review.choose')}</Text>}
            {item && (
              <Decision
                item={item}
                eventId={eventId}
                decides={decides}
                approve={() => approve(item)}
                ask={(move) => setAsking({ move, items: [item] })}
              />
            )}
          </div>
        </div>
      )}
      {whole && <PrintedQueue items={open} />}
      {decided.length > 0 && <Decided decided={decided} takeBack={(i) => setAsking({ move: 'reopen', items: [i] })} />}
      {asking && (
        <CommentModal
          asking={asking}
          close={() => {
            setAsking(null);
            list.current?.focus();
          }}
          done={async (comment) => {
            const next = after(asking.items);
            await decideAll(asking.move, asking.items, comment);
            if (asking.move !== 'reopen') setCurrent(next);
            setMarked(new Set());
            setAsking(null);
            goOn();
          }}
        />
      )}
      {previewing && (
        <ApproveMany
          eventId={eventId}
          items={chosen}
          close={() => setPreviewing(false)}
          done={(ids) => {
            const approved = chosen.filter((i) => ids.has(i._id));
            tell(approved, 'approve');
            if (approved.some((i) => i._id === current)) setCurrent(after(approved));
            setMarked(new Set());
            setPreviewing(false);
            goOn();
            // What was left stays in the queue, and the focus with it.
            sending(approved, refresh());
          }}
        />
      )}
    </div>
  );
}
