/** Queries about proposals, sign-offs and reasons, and what to reload after changes. */
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { api, type Schemas, take } from '../api/client';
import { resultQuery } from '../api/result';
import { useSession } from '../session';

export type Change = Schemas['EventChange'];
export type Edition = Schemas['Edition'];

export function useChanges(eventId: string, wanted: boolean) {
  return useQuery({
    queryKey: ['changes', eventId],
    enabled: wanted,
    queryFn: () =>
      take(api.GET('/events/{eventId}/changes', { params: { path: { eventId } } })).then((list) => list.items),
  });
}

/** Reads everything anew that a change of the event, made or proposed, may have moved. */
export async function moved(client: QueryClient, eventId: string): Promise<void> {
  void client.invalidateQueries({ queryKey: ['events'] });
  await Promise.all(
    ['event', 'changes', 'result', 'entries', 'checklist'].map((name) =>
      client.invalidateQueries({ queryKey: [name, eventId] }),
    ),
  );
}

/** Reports whether a change of the event needs a reason, and whether a second manager decides on it. */
export function useRules(eventId: string): { reason: boolean; second: boolean } {
  const { organization } = useSession();
  const result = useQuery(resultQuery(eventId));
  const approved = Boolean(result.data);
  return {
    reason: approved && Boolean(organization.policy.requireReason),
    second: approved && Boolean(organization.policy.fourEyes),
  };
}
