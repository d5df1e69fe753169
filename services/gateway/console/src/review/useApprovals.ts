import { useEffect, useRef, useState } from 'react';
import type { Item } from '../pages/queue';

const undoSeconds = 10;

export interface Pending {
  item: Item;
  until: number;
  /** It is on its way: it cannot be undone any more, and is not back in the queue. */
  sent?: true;
}

interface Approvals {
  /** What is out of the queue although the server has it there still. */
  pending: Pending[];
  /** What of it has not been sent. */
  undoable: Pending[];
  /** Approves a record in ten seconds, unless it is released before. */
  hold: (item: Item) => void;
  release: (id: string) => void;
  /** Keeps records that were approved together out of the queue until it has been read again. */
  sending: (items: Item[], read: Promise<void>) => void;
}

/** Approvals that can be undone for a while before they are sent. */
export function useApprovals(send: (item: Item) => Promise<void>): Approvals {
  const [pending, setPending] = useState<Pending[]>([]);
  const sender = useRef(send);
  sender.current = send;

  // What was approved is sent when its time to undo is over; on leaving the page at once.
  const waiting = useRef<Pending[]>([]);
  waiting.current = pending;
  useEffect(() => {
    const timer = setInterval(() => {
      for (const p of waiting.current) {
        if (p.sent || p.until > Date.now()) continue;
        p.sent = true;
        void sender.current(p.item).finally(() => setPending((all) => all.filter((x) => x !== p)));
      }
    }, 500);
    return () => {
      clearInterval(timer);
      for (const p of waiting.current) if (!p.sent) void sender.current(p.item);
    };
  }, []);

  return {
    pending,
    undoable: pending.filter((p) => !p.sent),
    hold: (item) => setPending((p) => [...p, { item, until: Date.now() + undoSeconds * 1000 }]),
    release: (id) => setPending((p) => p.filter((x) => x.item._id !== id)),
    sending: (items, read) => {
      const left = items.map((item): Pending => ({ item, until: 0, sent: true }));
      setPending((p) => [...p, ...left]);
      void read.finally(() => setPending((p) => p.filter((x) => !left.includes(x))));
    },
  };
}
