import { ApiError, api, type Schemas, take } from './client';

/** Returns the newest result of an event; null while nothing is approved. */
export async function resultOf(eventId: string): Promise<Schemas['Result'] | null> {
  try {
    return await take(api.GET('/events/{eventId}/results', { params: { path: { eventId } } }));
  } catch (cause) {
    if (cause instanceof ApiError && cause.code === 'RESULT_NOT_FOUND') return null;
    throw cause;
  }
}

/** The query of the newest result, which pages share. */
export const resultQuery = (eventId: string) => ({ queryKey: ['result', eventId], queryFn: () => resultOf(eventId) });

/** Asks for it again until it is calculated. */
export const untilCurrent = {
  refetchInterval: (q: { state: { data: Awaited<ReturnType<typeof resultOf>> | undefined } }) =>
    q.state.data?.status === 'recalculating' ? 1_500 : false,
} as const;
