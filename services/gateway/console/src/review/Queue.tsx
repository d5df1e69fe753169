import { Skeleton, Stack } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Item } from '../pages/queue';
import { QueueItem } from './QueueItem';

interface Props {
  items: Item[];
  /** How long the queue is; more than the items while the rest is being read. */
  count: number;
  current: string | null;
  marked: ReadonlySet<string>;
  scroller: RefObject<HTMLDivElement | null>;
  choose: (id: string) => void;
  toggle: (id: string) => void;
}

/** The records of the queue that are in view, and the one that is looked at. */
export function Queue({ items, count, current, marked, scroller, choose, toggle }: Props): ReactNode {
  // The list around it is there only once this has been drawn.
  const [, setDrawn] = useState(false);
  useEffect(() => setDrawn(true), []);
  const at = items.findIndex((i) => i._id === current);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 84,
    getItemKey: (n) => items[n]?._id ?? n,
    overscan: 8,
    // The list names the record that is looked at: it has to be there, wherever the list was scrolled to.
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan);
      const to = Math.min(count - 1, endIndex + overscan);
      const shown = Array.from({ length: to - from + 1 }, (_, n) => from + n);
      if (at >= 0 && at < from) shown.unshift(at);
      if (at > to) shown.push(at);
      return shown;
    },
  });
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
  }, [at, virtual]);
  return (
    <div role="presentation" className="queuespace" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((v) => {
        const item = items[v.index];
        if (!item) return null;
        return (
          <div
            key={v.key}
            ref={virtual.measureElement}
            data-index={v.index}
            role="presentation"
            className="queueplace"
            style={{ transform: `translateY(${v.start}px)` }}
          >
            <QueueItem
              item={item}
              at={v.index}
              count={count}
              current={item._id === current}
              marked={marked.has(item._id)}
              choose={() => choose(item._id)}
              toggle={() => toggle(item._id)}
            />
          </div>
        );
      })}
    </div>
  );
}

/** What stands in place of the queue, and of the record beside it, until it is there. */
export function QueueLoading(): ReactNode {
  const { t } = useTranslation();
  return (
    <div className="reviewsplit" role="status" aria-label={t('state.loading')}>
      <Stack className="queue" p={12}>
        <Skeleton h={62} />
        <Skeleton h={62} />
        <Skeleton h={62} />
      </Stack>
      <div className="decision">
        <Skeleton h={300} />
      </div>
    </div>
  );
}
