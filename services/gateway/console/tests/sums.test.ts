import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { begin, clock, end, pass, server, visit } from './sheetserver';

beforeEach(begin);
afterEach(async () => {
  vi.useRealTimers();
  await end();
});

const isPreview = (r: Request): boolean => r.url.endsWith('/results/preview');
const isSave = (r: Request): boolean => r.url.endsWith('/batch') && !r.headers.get('X-Dry-Run');

/** A server that counts its records and the rows that it is asked about, and the numbers that the page shows of it. */
async function sheet() {
  clock();
  const { store, engine } = await visit();
  const shown: number[] = [];
  store.subscribe(() => {
    const records = engine.sums.value?.all.records;
    if (records !== undefined && records !== shown.at(-1)) shown.push(records);
  });
  /** What holds an answer back: before the server has done the work, or after. */
  const held: { before?: Promise<void>; after?: Promise<void> } = {};
  const { fetch } = server;
  server.fetch = async (r) => {
    if (isSave(r)) {
      const answer = await fetch(r);
      await held.after;
      return answer;
    }
    if (!isPreview(r)) return fetch(r);
    await held.before;
    const { items } = (await r.json()) as { items: { recordId?: string }[] };
    const records = server.records.size + items.filter((i) => !i.recordId).length;
    return new Response(JSON.stringify({ data: { all: { records }, rows: [], sum: 's' } }));
  };
  engine.sums.start();
  await pass(1_000);
  expect(shown).toEqual([0]);
  return { store, engine, shown, held };
}

function gate(): [Promise<void>, () => void] {
  let open = (): void => {};
  const closed = new Promise<void>((done) => {
    open = done;
  });
  return [closed, open];
}

describe('the sums', () => {
  it('count a row once whose saving has not been answered yet', async () => {
    const { store, engine, shown, held } = await sheet();
    const [answer, open] = gate();
    held.after = answer;
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await pass(5_000);
    expect(server.records.size).toBe(1);
    open();
    await pass(5_000);
    expect(shown).toEqual([0, 1]);
    expect(engine.sums.moving).toBe(false);
    await engine.stop();
  });
  it('count a row once that is saved while they are asked for', async () => {
    const { store, engine, shown, held } = await sheet();
    const [answer, open] = gate();
    held.before = answer;
    const [key = ''] = store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    engine.active = key;
    await pass(2_000); // they are asked for with the row that is worked on
    engine.active = null;
    engine.left();
    await pass(1_000);
    expect(server.records.size).toBe(1);
    open();
    await pass(5_000);
    expect(shown).toEqual([0, 1]);
    expect(engine.sums.moving).toBe(false);
    await engine.stop();
  });
});
