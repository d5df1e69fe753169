/** The records of an event that wait for a decision, as they are read from the server. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { all, api, take } from '../api/client';
import type { Item } from '../pages/queue';

interface Queue {
  items: Item[];
  /** How many records wait; more than there are items while the rest is being read. */
  total: number;
  /** How long it took to read all of them, in milliseconds; undefined while that goes on. */
  took?: number;
}

/** How often the queue is read again, in milliseconds, where it is short. */
const often = 10_000;

/** Reads the queue again and again, for no more than a tenth of the time. The first page of a long queue is there before the rest. */
export function useQueue(eventId: string): UseQueryResult<Queue> {
  return useQuery({
    queryKey: ['review', eventId],
    queryFn: async ({ client, queryKey }): Promise<Queue> => {
      const began = performance.now();
      const items = await all(
        (page) =>
          take(api.GET('/events/{eventId}/review', { params: { path: { eventId }, query: { page, limit: 100 } } })),
        (first, total) => client.setQueryData<Queue>(queryKey, (was) => was ?? { items: first as Item[], total }),
      );
      return { items: items as Item[], total: items.length, took: Math.round(performance.now() - began) };
    },
    refetchInterval: ({ state }) => Math.max(often, 10 * (state.data?.took ?? 0)),
  });
}
