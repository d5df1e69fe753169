import { all, api, type Schemas, take } from './client';

/** A record in a list: the service's fields, and its own. */
export type Listed = Schemas['RecordState'] & Record<string, unknown>;

/** Reads all records of an event, a list for each of the types, newest first; of four types at a time. */
export async function recordsOf(eventId: string, types: string[]): Promise<Listed[][]> {
  const lists: Listed[][] = [];
  for (let i = 0; i < types.length; i += 4) {
    const part = types
      .slice(i, i + 4)
      .map((type) =>
        all((page) =>
          take(
            api.GET('/events/{eventId}/{type}', { params: { path: { eventId, type }, query: { page, limit: 100 } } }),
          ),
        ),
      );
    lists.push(...((await Promise.all(part)) as Listed[][]));
  }
  return lists;
}
