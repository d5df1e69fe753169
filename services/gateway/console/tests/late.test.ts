import i18next from 'i18next';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { en } from '../src/i18n/en';
import { begin, end, refusal, server, stored, until, visit } from './sheetserver';

beforeAll(() => i18next.init({ lng: 'en', resources: { en: { translation: en } } }));
beforeEach(begin);
afterEach(end);

const isDry = (r: Request): boolean => r.headers.get('X-Dry-Run') !== null;
/** A cell of origins that are stored separately. */
const origins = 'Σ 12';

/** The refusal of a field, as of a whole request or of an item of a batch. */
const fault = {
  code: 'VALIDATION_ERROR',
  message: 'm',
  requestId: 'r',
  details: [{ field: 'from', code: 'UNKNOWN_CODE', message: 'm' }],
};
const faulty = (): Response => new Response(JSON.stringify({ error: fault }), { status: 400 });

/** Answers the first of some requests in place of the server, once it is released. */
function late(which: (r: Request) => boolean, answer: () => Response): { release?: () => void } {
  const held: { release?: () => void } = {};
  const { fetch } = server;
  server.fetch = async (r) => {
    if (!which(r) || held.release) return fetch(r);
    await new Promise<void>((done) => {
      held.release = done;
    });
    return answer();
  };
  return held;
}

describe('a refusal of what was sent says nothing of what was typed since', () => {
  it('into a new row', async () => {
    const { store, engine } = await visit();
    const held = late(
      (r) => r.method === 'POST' && !isDry(r),
      () => new Response(JSON.stringify({ data: { items: [{ error: fault }] } })),
    );
    const [key = ''] = store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await until(() => held.release);
    store.edit([{ key, type: 'flights', cells: { from: 'AMS' } }]);
    held.release?.();
    await until(() => server.records.size === 1);
    expect([...server.records.values()].map((r) => r.from)).toEqual(['AMS']);
    await engine.stop();
  });
  it('into a saved row', async () => {
    stored('r1');
    const { store, engine } = await visit();
    const held = late((r) => r.method === 'PATCH', faulty);
    store.edit([{ key: 'r1', type: 'flights', cells: { from: 'CDG' } }]);
    await until(() => held.release);
    store.edit([{ key: 'r1', type: 'flights', cells: { from: 'AMS' } }]);
    held.release?.();
    await until(() => server.records.get('r1')?.from === 'AMS');
    await engine.stop();
  });
  it('into a row whose origins are stored separately', async () => {
    stored('r1');
    const { store, engine } = await visit();
    server.instead = (r) =>
      isDry(r)
        ? new Response(JSON.stringify({ data: { footprint: { kgCO2e: 1, low: 1, high: 1, notices: [] } } }))
        : undefined;
    const held = late(isDry, faulty);
    store.edit([{ key: 'r1', type: 'flights', cells: { from: 'CDG', origins } }]);
    await until(() => held.release);
    store.edit([{ key: 'r1', type: 'flights', cells: { from: 'AMS' } }]);
    held.release?.();
    await until(() => server.records.get('r1')?.from === 'AMS');
    await engine.stop();
  });
});

describe('a row whose origins are stored separately', () => {
  it('shows the faults of its check', async () => {
    stored('r1');
    const { store, engine } = await visit();
    server.instead = (r) => (isDry(r) ? faulty() : undefined);
    store.edit([{ key: 'r1', type: 'flights', cells: { from: 'JKF', origins } }]);
    await until(() => store.get('r1')?.check.faults.from);
    expect(store.get('r1')?.check.state).toBe('bad');
    expect(server.requests.filter((r) => r.startsWith('PATCH'))).toEqual(['PATCH /events/e/flights/r1 dry']);
    await engine.stop();
  });
  it.each([
    [403, 'FORBIDDEN'],
    [404, 'RECORD_NOT_FOUND'],
    [409, 'RECORD_LOCKED'],
  ])('keeps no other row from being saved where it cannot be changed any more: %i', async (status, code) => {
    stored('r1');
    stored('r2');
    const { store, engine } = await visit();
    server.instead = (r) => (isDry(r) && r.url.includes('/r1') ? refusal(status, code) : undefined);
    store.edit([
      { key: 'r1', type: 'flights', cells: { from: 'CDG', origins } },
      { key: 'r2', type: 'flights', cells: { from: 'AMS' } },
    ]);
    await until(() => server.records.get('r2')?.from === 'AMS');
    await until(() => store.get('r1')?.failed);
    expect(engine.trouble).toBeNull();
    expect(store.get('r1')?.cells.from).toBe('CDG');
    await engine.stop();
  });
});

it('says what was typed into a row that turns out to be decided as it is saved', async () => {
  stored('r1');
  const { store, engine } = await visit();
  store.edit([{ key: 'r1', type: 'flights', cells: { from: 'CDG' } }]);
  stored('r1', { status: 'approved', revision: 2 });
  await until(() => store.get('r1')?.status === 'approved');
  await until(() => server.requests.includes('GET /events/e/flights/r1') && !store.get('r1')?.saving);
  expect(store.get('r1')?.failed).toContain('CDG');
  expect(store.get('r1')?.cells.from).toBe('LHR');
  expect(server.requests.filter((r) => r.startsWith('PATCH'))).toEqual([]);
  await engine.stop();
});
