/** The events of the organization, as several pages list them. */
import { useQuery } from '@tanstack/react-query';
import { all, api, type Schemas, take } from './client';

type Event = Schemas['Event'];

/** All events that the reader may see, newest first, each with its counts and its newest figure in short. */
export function useEvents(options: { refetchOnMount?: 'always' } = {}) {
  return useQuery({
    queryKey: ['events'],
    queryFn: () => all((page) => take(api.GET('/events', { params: { query: { page, limit: 100 } } }))),
    refetchInterval: (q) => (q.state.data?.some((e) => e.result?.status === 'recalculating') ? 1_500 : false),
    ...options,
  });
}

/** How many records of an event wait for a decision. */
export const waitingIn = ({ counts }: Pick<Event, 'counts'>): number =>
  (counts?.submitted ?? 0) + (counts?.inReview ?? 0);

/** How many records of an event were sent back and wait for whoever recorded them. */
export const returnedIn = ({ counts }: Pick<Event, 'counts'>): number => counts?.changesRequested ?? 0;
