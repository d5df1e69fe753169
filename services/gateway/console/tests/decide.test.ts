import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { decide, decideOne, hasMoved } from '../src/review/decide';

interface Sent {
  path: string;
  dry: boolean;
  key: string | null;
  body: { ids: string[]; revisions?: Record<string, number>; figures?: Record<string, number>; comment?: string };
}

let sent: Sent[];
let outcome: (id: string) => object;
let failing: number;

beforeEach(() => {
  sent = [];
  outcome = (_id) => ({ _id, record: { _id } });
  failing = Number.POSITIVE_INFINITY;
  vi.stubGlobal('location', { origin: 'http://localhost' });
  vi.stubGlobal('fetch', async (r: Request) => {
    const body = (await r.json()) as Sent['body'];
    const path = new URL(r.url).pathname.replace('/session/api', '');
    sent.push({ path, dry: r.headers.get('X-Dry-Run') === 'true', key: r.headers.get('Idempotency-Key'), body });
    if (sent.length >= failing) throw new TypeError('connection lost');
    return new Response(JSON.stringify({ data: { items: body.ids.map(outcome) } }));
  });
});
afterEach(() => void vi.unstubAllGlobals());

const records = (n: number): { _id: string; revision: number }[] =>
  Array.from({ length: n }, (_, i) => ({ _id: `r${i}`, revision: i + 1 }));

it('decides on records as they were seen, a hundred at a time, each request with a key of its own', async () => {
  const outcomes = await decide('e', 'approve', records(150));
  expect(outcomes.map((o) => o._id)).toEqual(records(150).map((r) => r._id));
  expect(sent.map((s) => [s.path, s.dry, s.body.ids.length])).toEqual([
    ['/events/e/review/approve', false, 100],
    ['/events/e/review/approve', false, 50],
  ]);
  expect(sent[1]?.body.revisions).toMatchObject({ r100: 101, r149: 150 });
  expect(Object.keys(sent[0]?.body.revisions ?? {})).toHaveLength(100);
  expect(new Set(sent.map((s) => s.key)).size).toBe(2);
  expect(sent.map((s) => s.key)).not.toContain(null);
});

it('approves the figures that were seen, and no others', async () => {
  const counted = records(2).map((r, i) => ({ ...r, footprint: { kgCO2e: i + 0.5 } }));
  await decide('e', 'approve', counted);
  await decide('e', 'reject', counted);
  expect(sent.map((s) => s.body.figures)).toEqual([{ r0: 0.5, r1: 1.5 }, undefined]);
});

it('decides nothing in a preview', async () => {
  await decide('e', 'approve', records(1), { dry: true });
  expect(sent.map((s) => s.dry)).toEqual([true]);
});

it('sends the comment, and says what became of the first hundred if the second fails', async () => {
  failing = 2;
  const heard: (string | undefined)[] = [];
  const work = decide('e', 'reject', records(150), {
    comment: 'twice',
    heard: (part) => heard.push(...part.map((o) => o._id)),
  });
  await expect(work).rejects.toMatchObject({ code: 'NETWORK' });
  expect(heard).toHaveLength(100);
  expect(sent[0]?.body.comment).toBe('twice');
});

it('throws what one record was refused for, and knows one that has moved on', async () => {
  outcome = (_id) => ({ _id, error: { code: 'PRECONDITION_FAILED', message: 'm', requestId: 'r' } });
  await expect(decideOne('e', 'approve', { _id: 'a', revision: 3 })).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
  });
  expect(sent[0]?.body).toEqual({ ids: ['a'], revisions: { a: 3 } });
  expect(['PRECONDITION_FAILED', 'INVALID_TRANSITION', 'FORBIDDEN'].map(hasMoved)).toEqual([true, true, false]);
});

it('repeats a decision whose answer was lost with its key, and makes another one with another key', async () => {
  failing = 1;
  await expect(decideOne('e', 'approve', { _id: 'a', revision: 3 })).rejects.toMatchObject({ code: 'NETWORK' });
  failing = Number.POSITIVE_INFINITY;
  await decideOne('e', 'approve', { _id: 'a', revision: 3 });
  await decideOne('e', 'approve', { _id: 'a', revision: 3 });
  const [first, again, another] = sent.map((s) => s.key);
  expect(again).toBe(first);
  expect(another).not.toBe(first);
});
