import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { remove } from '../src/sheet/commands';
import { countDrafts, leaveDrafts, takeOver, writeOutgoing } from '../src/sheet/drafts';
import type { Engine } from '../src/sheet/engine';
import type { Store } from '../src/sheet/store';
import { begin, end, server, stored, until, visit } from './sheetserver';

beforeEach(begin);
afterEach(end);

describe('saving', () => {
  it('checks a row while it is worked on and saves it when it is left', async () => {
    const { store, engine } = await visit();
    const [key = ''] = store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    engine.active = key;
    await until(() => store.get(key)?.check.state === 'good');
    expect(server.records.size).toBe(0);
    engine.active = null;
    engine.left();
    await until(() => store.get(key)?.id);
    expect(server.records.size).toBe(1);
    await engine.stop();
  });
  it('saves a row as it was left, even if the focus is back before it was checked', async () => {
    const { store, engine } = await visit();
    const [key = ''] = store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    engine.active = key;
    engine.active = null;
    engine.active = key;
    engine.left();
    await until(() => store.get(key)?.id);
    store.edit([{ key, type: 'flights', cells: { from: 'CDG' } }]);
    await until(() => store.get(key)?.check.state === 'good');
    expect(server.requests.filter((r) => r.startsWith('PATCH'))).toEqual([]);
    await engine.stop();
  });
  it('undoes the making of a saved row at the server, and does it again', async () => {
    const { store, engine } = await visit();
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await until(() => store.rows[0]?.id);
    store.undo();
    await until(() => server.records.size === 0 && store.rows.length === 0);
    store.redo();
    await until(() => server.records.size === 1);
    await engine.stop();
  });
  it('does not undo the making of a row that somebody has changed since, and says so', async () => {
    const { store, engine } = await visit();
    const why: string[] = [];
    engine.onStuck = (text) => why.push(text);
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await until(() => store.rows[0]?.id);
    const [record] = server.records.values();
    if (record) record.revision = 7;
    store.undo();
    await until(() => why.length === 1);
    expect(server.records.size).toBe(1);
    await engine.stop();
  });
  it('undoes the making of many rows, and deletes many, a hundred at a time', async () => {
    const { store, engine } = await visit();
    const deletions = () => server.requests.filter((r) => r.endsWith('/delete')).length;
    store.edit(Array.from({ length: 150 }, () => ({ type: 'flights', cells: { from: 'LHR' } })));
    await until(() => server.records.size === 150 && store.rows.every((r) => r.id));
    store.undo();
    await until(() => store.rows.length === 0);
    expect([server.records.size, deletions()]).toEqual([0, 2]);
    store.redo();
    await until(() => server.records.size === 150 && store.rows.every((r) => r.id && !r.saving));
    expect(await remove(engine, [...store.rows])).toEqual([]);
    expect([server.records.size, store.rows.length, deletions()]).toEqual([0, 0, 4]);
    await engine.stop();
  });
  it('asks once for many rows', async () => {
    const { store, engine } = await visit();
    store.edit(Array.from({ length: 150 }, () => ({ type: 'flights', cells: { from: 'LHR' } })));
    await until(() => store.rows.every((r) => r.id));
    expect(server.requests.filter((r) => r.endsWith('dry'))).toHaveLength(2);
    expect(server.requests.filter((r) => r === 'POST /events/e/flights/batch')).toHaveLength(2);
    expect(server.requests.filter((r) => r.startsWith('PATCH'))).toEqual([]);
    await engine.stop();
  });
  it('keeps a faulty row and names the fault in its cell', async () => {
    const { store, engine } = await visit();
    const [key = ''] = store.edit([{ type: 'flights', cells: { from: 'JKF' } }]);
    await until(() => store.get(key)?.check.state === 'bad');
    expect(store.get(key)?.check.faults.from?.suggestions).toEqual(['JFK']);
    expect(server.records.size).toBe(0);
    await engine.stop();
  });
});

describe('nothing is lost or doubled', () => {
  it('after a crash between the work and its answer', async () => {
    const first = await visit();
    server.loseAnswers = true;
    first.store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await until(() => server.records.size === 1 && first.engine.trouble);
    await first.engine.stop();
    expect((await takeOver('o:u', 'e', 'nobody')).outgoing).toHaveLength(1);
    server.loseAnswers = false;
    const second = await visit();
    await until(() => second.store.rows.every((r) => r.id));
    second.engine.schedule(0);
    await vi.waitFor(async () => expect((await takeOver('o:u', 'e', 'nobody')).outgoing).toEqual([]));
    expect(server.records.size).toBe(1);
    expect(second.store.rows.filter((r) => r.cells.from === 'LHR')).toHaveLength(1);
    await second.engine.stop();
  });
  it('when an answer is lost and the page stays', async () => {
    const { store, engine } = await visit();
    server.loseAnswers = true;
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await until(() => server.records.size === 1 && engine.trouble);
    server.loseAnswers = false;
    engine.schedule(0);
    await until(() => store.rows.every((r) => r.id));
    expect(server.records.size).toBe(1);
    // With an answer it is done with.
    store.edit([{ type: 'flights', cells: { from: 'CDG' } }]);
    await until(() => server.records.size === 2);
    expect(server.requests.filter((r) => r === 'POST /events/e/flights/batch')).toHaveLength(3);
    await engine.stop();
  });
  it('when a deletion is repeated whose answer was lost', async () => {
    const { store, engine } = await visit();
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await until(() => store.rows.every((r) => r.id));
    server.loseAnswers = true;
    await expect(remove(engine, [...store.rows])).rejects.toMatchObject({ code: 'NETWORK' });
    expect(server.records.size).toBe(0);
    server.loseAnswers = false;
    expect(await remove(engine, [...store.rows])).toEqual([]);
    expect(store.rows).toHaveLength(0);
    await engine.stop();
  });
  it('where nothing but the request itself was kept', async () => {
    const rows = [{ key: 'gone', cells: { from: 'LHR' } }];
    await writeOutgoing({ scope: 'o:u', event: 'e', key: 'k', type: 'flights', rows, items: [{ from: 'LHR' }] });
    const { store, engine } = await visit();
    await until(() => store.rows.length === 1);
    expect([store.rows[0]?.cells.from, server.records.size]).toEqual(['LHR', 1]);
    await engine.stop();
  });
  it('and rows come back in their order', async () => {
    const first = await visit();
    server.down = true;
    const places = ['LHR', 'CDG', 'AMS', 'TXL', 'FRA', 'JFK', 'MUC'];
    first.store.edit(places.map((from) => ({ type: 'flights', cells: { from } })));
    await first.engine.stop();
    server.down = false;
    const second = await visit();
    expect(second.store.rows.map((r) => r.cells.from)).toEqual(places);
    await second.engine.stop();
  });
  it('while the server is away', async () => {
    const first = await visit();
    server.down = true;
    first.store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await until(() => first.engine.trouble?.kind === 'offline');
    await first.engine.stop();
    server.down = false;
    const second = await visit();
    expect(second.store.rows.map((r) => r.cells.from)).toContain('LHR');
    await until(() => server.records.size === 1);
    await second.engine.stop();
  });
  it('even if the page was gone before its database had committed', async () => {
    const draft = { scope: 'o:u', event: 'e', key: 'k', type: 'flights', cells: { from: 'LHR' }, at: 0, owner: 'gone' };
    const commits = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(() => {
      throw new Error('the page is gone');
    });
    await expect(leaveDrafts('gone', [draft], [])).rejects.toThrow();
    commits.mockRestore();
    expect(await countDrafts('o:u')).toEqual({ rows: 1, texts: 0 });
    await leaveDrafts('gone', [{ ...draft, key: 'l', cells: { from: 'CDG' } }], [['o:u', 'e', 'k']]);
    expect(Object.keys(localStorage)).toEqual([]);
    expect((await takeOver('o:u', 'e', 'next')).drafts.map((d) => d.cells.from)).toEqual(['CDG']);
  });
  it('and another user never sees it', async () => {
    const { store, engine } = await visit();
    server.down = true;
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await engine.keep();
    await engine.stop();
    expect(await countDrafts('o:u')).toEqual({ rows: 1, texts: 0 });
    server.down = false;
    expect((await visit('o:other')).store.rows).toEqual([]);
  });
});

describe('a row that somebody else has changed', () => {
  it('is not overwritten: both versions are shown until one is chosen', async () => {
    stored('r1');
    const { store, engine } = await visit();
    Object.assign(server.records.get('r1') as object, { from: 'AMS', revision: 2 });
    store.edit([{ key: 'r1', type: 'flights', cells: { from: 'CDG' } }]);
    await until(() => store.get('r1')?.theirs);
    expect(store.get('r1')?.theirs?.cells.from).toBe('AMS');
    expect(server.records.get('r1')?.from).toBe('AMS');
    const row = store.get('r1');
    if (row) await engine.resolve(row, true);
    await until(() => server.records.get('r1')?.from === 'CDG');
    await engine.stop();
  });
});

describe('a conflict', () => {
  const conflict = async (): Promise<{ store: Store; engine: Engine }> => {
    stored('r1');
    const sheet = await visit();
    stored('r1', { from: 'AMS', revision: 2 });
    sheet.store.edit([{ key: 'r1', type: 'flights', cells: { from: 'CDG' } }]);
    await until(() => sheet.store.get('r1')?.theirs);
    return sheet;
  };
  const writes = (): string[] => server.requests.filter((r) => r.startsWith('PATCH') && !r.endsWith('dry'));
  it('is not saved past, whatever is typed, until somebody has chosen', async () => {
    const { store, engine } = await conflict();
    store.edit([{ key: 'r1', type: 'flights', cells: { from: 'BER' } }]);
    await until(() => store.get('r1')?.check.state === 'good');
    const [key = ''] = store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await until(() => store.get(key)?.id);
    expect(writes()).toEqual([]);
    expect(server.records.get('r1')?.from).toBe('AMS');
    await engine.stop();
  });
  it('ends with what is saved where theirs is chosen', async () => {
    const { store, engine } = await conflict();
    const row = store.get('r1');
    if (row) await engine.resolve(row, false);
    await until(() => row?.check.state === 'good');
    expect([row?.cells.from, row?.saved?.from, row?.theirs]).toEqual(['AMS', 'AMS', undefined]);
    expect(writes()).toEqual([]);
    await engine.stop();
  });
  it('ends with what is typed where mine is chosen, written once over theirs', async () => {
    const { store, engine } = await conflict();
    const row = store.get('r1');
    if (row) await engine.resolve(row, true);
    await until(() => server.records.get('r1')?.from === 'CDG');
    await until(() => row?.saved?.from === 'CDG');
    expect(writes()).toHaveLength(1);
    await engine.stop();
  });
});

it('saves nothing while the event is signed, and what was typed once it is not', async () => {
  const { store, engine } = await visit();
  store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
  store.readOnly = true;
  const row = store.rows[0];
  await until(() => row?.check.state === 'good');
  // Checked once more, it would have been saved after the first time.
  if (row) row.check = { ...row.check, state: 'waiting' };
  engine.left();
  await until(() => row?.check.state === 'good' && server.requests.filter((r) => r.endsWith('dry')).length === 2);
  await engine.keep();
  expect(server.requests.filter((r) => r.startsWith('POST') && !r.endsWith('dry'))).toEqual([]);
  expect(await countDrafts('o:u')).toEqual({ rows: 1, texts: 0 });
  store.readOnly = false;
  engine.schedule(0);
  await until(() => server.records.size === 1);
  await engine.stop();
});

describe('what is typed into one of two open sheets', () => {
  const typed = async (): Promise<{ store: Store; engine: Engine; key: string }> => {
    const sheet = await visit();
    const [key = ''] = sheet.store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    sheet.engine.active = key;
    await until(() => sheet.store.get(key)?.check.state === 'good');
    await sheet.engine.keep();
    return { ...sheet, key };
  };
  it('is not made by the other one too', async () => {
    const { store, engine, key } = await typed();
    const other = await visit();
    expect(other.store.rows).toEqual([]);
    other.store.edit([{ type: 'flights', cells: { from: 'AMS' } }]);
    await until(() => other.store.rows[0]?.id);
    engine.active = null;
    engine.left();
    await until(() => store.get(key)?.id);
    expect([...server.records.values()].map((r) => r.from)).toEqual(['AMS', 'LHR']);
    await engine.stop();
    await other.engine.stop();
  });
  it('is saved by the other one when the first is closed', async () => {
    const { engine, key } = await typed();
    const other = await visit();
    await engine.stop();
    await until(() => other.store.get(key)?.id);
    expect(server.records.size).toBe(1);
    await other.engine.stop();
  });
  it('is made once if its page is left while it is on its way', async () => {
    const { engine, key } = await typed();
    let answer: (() => void) | undefined;
    const { fetch } = server;
    server.fetch = async (r) => {
      if (r.url.endsWith('/batch') && !r.headers.get('X-Dry-Run'))
        await new Promise<void>((go) => {
          answer ??= go;
        });
      return fetch(r);
    };
    engine.active = null;
    engine.finish();
    const other = await visit();
    await until(() => answer);
    answer?.();
    await until(() => other.store.rows.length === 1);
    expect(other.store.get(key)).toBeUndefined();
    expect(server.records.size).toBe(1);
    await other.engine.stop();
  });
  it('is left to the next visit if it cannot be saved on leaving the page', async () => {
    const { engine, key } = await typed();
    server.down = true;
    engine.active = null;
    engine.finish();
    await until(() => engine.trouble);
    server.down = false;
    const other = await visit();
    await until(() => other.store.get(key)?.id);
    expect(server.records.size).toBe(1);
    await other.engine.stop();
  });
});
