import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { columnsOf } from '../src/sheet/columns';
import { remove } from '../src/sheet/commands';
import { countDrafts, discardDrafts, takeOver } from '../src/sheet/drafts';
import { Engine } from '../src/sheet/engine';
import { type ServerRecord, Store } from '../src/sheet/store';
import { browserLocks } from './locks';

/** A server of one event in memory, with idempotency keys as the real one has them. */
class Server {
  records = new Map<string, ServerRecord>();
  replays = new Map<string, string>();
  requests: string[] = [];
  down = false;
  /** Answers are lost after the work is done. */
  loseAnswers = false;
  fetch = async (request: Request): Promise<Response> => {
    if (this.down) throw new TypeError('offline');
    const path = new URL(request.url).pathname.replace('/session/api', '');
    this.requests.push(`${request.method} ${path}${request.headers.get('X-Dry-Run') ? ' dry' : ''}`);
    const key = request.headers.get('Idempotency-Key');
    const text =
      (key && this.replays.get(key)) ||
      JSON.stringify(this.answer(request.method, path, await request.json().catch(() => null), request.headers));
    if (key) this.replays.set(key, text);
    if (this.loseAnswers && ['POST', 'DELETE'].includes(request.method) && !request.headers.get('X-Dry-Run'))
      throw new TypeError('connection lost');
    const status = text.includes('"failure"') ? 412 : text.includes('"RECORD_NOT_FOUND"') ? 404 : 200;
    const id = path.split('/')[4] ?? '';
    return new Response(text, {
      status,
      headers: { 'Content-Type': 'application/json', ETag: `"${this.records.get(id)?.revision}"` },
    });
  };
  private answer(
    method: string,
    path: string,
    body: { items: Record<string, unknown>[] } & Record<string, unknown>,
    headers: Headers,
  ): unknown {
    if (path.endsWith('/batch')) {
      const items = body.items.map((fields) => {
        if (fields.from === 'JKF')
          return {
            error: {
              code: 'VALIDATION_ERROR',
              message: 'm',
              requestId: 'r',
              details: [{ field: 'items[0].from', code: 'UNKNOWN_CODE', message: 'no JKF', suggestions: ['JFK'] }],
            },
          };
        const record = {
          _id: headers.get('X-Dry-Run') ? 'dry' : `r${this.records.size + 1}`,
          eventId: 'e',
          type: 'flights',
          submitted: false,
          status: 'unsubmitted',
          revision: 1,
          footprint: { kgCO2e: 1, low: 0.5, high: 2, factorSet: 'f', defaulted: [], notices: [] },
          ...fields,
        } as unknown as ServerRecord;
        if (!headers.get('X-Dry-Run')) this.records.set(record._id, record);
        return { record };
      });
      return { success: true, data: { items } };
    }
    const record = this.records.get(path.split('/')[4] ?? '');
    if (record && method === 'DELETE') {
      const seen = headers.get('If-Match');
      if (seen && seen !== `"${record.revision}"`) return { failure: true };
      this.records.delete(record._id);
    } else if (method === 'DELETE') {
      return { error: { code: 'RECORD_NOT_FOUND', message: 'm', requestId: 'r' } };
    }
    if (record && method === 'PATCH') {
      if (headers.get('If-Match') !== `"${record.revision}"`) return { failure: true };
      Object.assign(record, body, { revision: (record.revision ?? 0) + 1 });
    }
    if (record) return { success: true, data: record };
    return { success: true, data: { items: [...this.records.values()].reverse(), pagination: { totalPages: 1 } } };
  }
}

let server: Server;
const kept = new Map<string, string>();

beforeEach(() => {
  server = new Server();
  vi.stubGlobal('fetch', (r: Request) => server.fetch(r));
  vi.stubGlobal('navigator', { locks: browserLocks() });
  vi.stubGlobal('location', { origin: 'http://localhost' });
  vi.stubGlobal('localStorage', {
    getItem: (k: string) => kept.get(k) ?? null,
    setItem: (k: string, v: string) => kept.set(k, v),
  });
});
afterEach(async () => {
  await discardDrafts('o:u');
  await discardDrafts('o:other');
  vi.unstubAllGlobals();
});

const columns = columnsOf({ properties: { from: { type: 'string' }, passengers: { type: 'integer' } } });
async function visit(scope = 'o:u'): Promise<{ store: Store; engine: Engine }> {
  const store = new Store(() => columns, 'u');
  const engine = new Engine(store, 'e', scope, ['flights']);
  await engine.start();
  return { store, engine };
}
const until = (f: () => unknown): Promise<void> =>
  vi.waitFor(
    () => {
      if (!f()) throw new Error('not yet');
    },
    { timeout: 5_000, interval: 10 },
  );

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
    await engine.stop();
  });
  it('when a deletion is repeated whose answer was lost', async () => {
    const { store, engine } = await visit();
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await until(() => store.rows.every((r) => r.id));
    server.loseAnswers = true;
    expect(await remove(engine, [...store.rows])).toHaveLength(1);
    expect(server.records.size).toBe(0);
    server.loseAnswers = false;
    expect(await remove(engine, [...store.rows])).toEqual([]);
    expect(store.rows).toHaveLength(0);
    await engine.stop();
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
  it('and another user never sees it', async () => {
    const { store, engine } = await visit();
    server.down = true;
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await engine.keep();
    await engine.stop();
    expect(await countDrafts('o:u')).toBe(1);
    server.down = false;
    expect((await visit('o:other')).store.rows).toEqual([]);
  });
});

describe('a row that somebody else has changed', () => {
  it('is not overwritten: both versions are shown until one is chosen', async () => {
    server.records.set('r1', {
      _id: 'r1',
      eventId: 'e',
      type: 'flights',
      submitted: false,
      status: 'unsubmitted',
      revision: 1,
      from: 'LHR',
    } as unknown as ServerRecord);
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
