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
