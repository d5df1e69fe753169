import type { Schemas } from '../api/client';

export type Item = Schemas['ReviewItem'] & Record<string, unknown>;
export type Order = 'weight' | 'age';

/** Sorts the queue: largest first, or oldest first. Records that cannot be calculated come first. */
export function orderQueue(items: Item[], order: Order): Item[] {
  const weight = (i: Item): number => i.review.kgCO2e ?? Number.MAX_VALUE;
  return [...items].sort((a, b) =>
    order === 'weight' ? weight(b) - weight(a) : a.review.waitingSince.localeCompare(b.review.waitingSince),
  );
}

/** What can become of a record that waits. */
export type Move = 'approve' | 'request-changes' | 'reject' | 'reopen';
