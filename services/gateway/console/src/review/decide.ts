/** Decisions on records of an event, as the API takes them for many at a time. */
import { ApiError, call, keyed, type Schemas } from '../api/client';
import type { Move } from '../pages/queue';

export interface Outcome {
  _id?: string;
  record?: Schemas['Record'];
  error?: Schemas['Error'];
}

/** A record to decide on; with its revision it is decided on only as it was seen, and with its figure approved only with that. */
export interface Subject {
  _id: string;
  revision?: number | undefined;
  footprint?: { kgCO2e: number } | undefined;
}

const atOnce = 100;
const once = keyed();

interface Options {
  comment?: string;
  /** Says what would become of the records, and decides nothing. */
  dry?: boolean;
  /** Called with the outcomes of each hundred, so that they are known if a later one fails. */
  heard?: (outcomes: Outcome[]) => void;
}

/** Decides on records; returns what became of each, in their order. A record that has moved on since it was seen is left. */
export async function decide(
  eventId: string,
  move: Move,
  subjects: readonly Subject[],
  { comment = '', dry = false, heard = () => {} }: Options = {},
): Promise<Outcome[]> {
  const all: Outcome[] = [];
  for (let n = 0; n < subjects.length; n += atOnce) {
    const part = subjects.slice(n, n + atOnce);
    const seen = part.flatMap((s) => (s.revision === undefined ? [] : [[s._id, s.revision] as const]));
    const counted = part.flatMap((s) => (s.footprint ? [[s._id, s.footprint.kgCO2e] as const] : []));
    const body: Schemas['IdsInput'] = {
      ids: part.map((s) => s._id),
      ...(seen.length > 0 ? { revisions: Object.fromEntries(seen) } : {}),
      ...(move === 'approve' && counted.length === part.length ? { figures: Object.fromEntries(counted) } : {}),
      ...(comment ? { comment } : {}),
    };
    const path = `/events/${eventId}/review/${move}`;
    const send = (headers: Record<string, string>) => call<{ items: Outcome[] }>('POST', path, body, headers);
    const { data } = await (dry
      ? send({ 'X-Dry-Run': 'true' })
      : once({ path, body }, (key) => send({ 'Idempotency-Key': key })));
    all.push(...data.items);
    heard(data.items);
  }
  return all;
}

/** Reports whether nothing was decided because the record is not any more what was seen. */
export const hasMoved = (code: string): boolean => code === 'PRECONDITION_FAILED' || code === 'INVALID_TRANSITION';

/** Decides on one record; throws what it was refused for. */
export async function decideOne(eventId: string, move: Move, subject: Subject, comment = ''): Promise<void> {
  const [outcome] = await decide(eventId, move, [subject], { comment });
  const e = outcome?.error;
  if (e) throw new ApiError(409, e.code, e.message, e.requestId ?? '', e.details ?? []);
}
