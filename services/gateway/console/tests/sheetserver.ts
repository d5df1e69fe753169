/** The sheet of an event over a server in memory. */
import 'fake-indexeddb/auto';
import { vi } from 'vitest';
import { columnsOf } from '../src/sheet/columns';
import { discardDrafts } from '../src/sheet/drafts';
import { Engine } from '../src/sheet/engine';
import { type ServerRecord, Store } from '../src/sheet/store';
import { browserLocks } from './locks';

/** A server of one event in memory, with idempotency keys as the real one has them. */
export class Server {
  records = new Map<string, ServerRecord>();
  replays = new Map<string, string>();
  requests: string[] = [];
  down = false;
  /** Answers are lost after the work is done. */
  loseAnswers = false;
  /** Answers in place of the server; undefined where it answers itself. */
  instead: (request: Request) => Response | undefined = () => undefined;
  fetch = async (request: Request): Promise<Response> => {
    if (this.down) throw new TypeError('offline');
    const path = new URL(request.url).pathname.replace('/session/api', '');
    this.requests.push(`${request.method} ${path}${request.headers.get('X-Dry-Run') ? ' dry' : ''}`);
    const other = this.instead(request);
    if (other) return other;
    const key = request.headers.get('Idempotency-Key');
    const text =
      (key && this.replays.get(key)) ||
      JSON.stringify(this.answer(request.method, path, await request.json().catch(() => null), request.headers));
    if (key) this.replays.set(key, text);
    if (this.loseAnswers && request.method === 'POST' && !request.headers.get('X-Dry-Run'))
      throw new TypeError('connection lost');
    const status = text.includes('"failure"') ? 412 : 200;
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
    if (path.endsWith('/delete')) {
      const { ids, revisions } = body as unknown as { ids: string[]; revisions?: Record<string, number> };
      const items = ids.map((id) => {
        const found = this.records.get(id);
        const changed = found && revisions && revisions[id] !== found.revision;
        const code = changed ? 'PRECONDITION_FAILED' : 'RECORD_NOT_FOUND';
        if (!found || changed) return { _id: id, error: { code, message: 'm', requestId: 'r' } };
        this.records.delete(id);
        return { _id: id, record: found };
      });
      return { success: true, data: { items } };
    }
    const record = this.records.get(path.split('/')[4] ?? '');
    if (record && method === 'PATCH') {
      if (headers.get('If-Match') !== `"${record.revision}"`) return { failure: true };
      Object.assign(record, body, { revision: (record.revision ?? 0) + 1 });
    }
    if (record) return { success: true, data: record };
    return { success: true, data: { items: [...this.records.values()].reverse(), pagination: { totalPages: 1 } } };
  }
}

export let server: Server;

/** A browser's storage, whose names are its own properties. */
export const storage = (): Storage =>
  Object.create({
    getItem(this: Record<string, string>, k: string): string | null {
      return this[k] ?? null;
    },
    setItem(this: Record<string, string>, k: string, v: string): void {
      this[k] = v;
    },
    removeItem(this: Record<string, string>, k: string): void {
      delete this[k];
    },
  });

export function begin(): void {
  server = new Server();
  vi.stubGlobal('fetch', (r: Request) => server.fetch(r));
  vi.stubGlobal('navigator', { locks: browserLocks() });
  vi.stubGlobal('location', { origin: 'http://localhost' });
  vi.stubGlobal('localStorage', storage());
}

export async function end(): Promise<void> {
  await discardDrafts('o:u');
  await discardDrafts('o:other');
  vi.unstubAllGlobals();
}

/** A refusal as the server sends it. */
export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify({ error: { code, message: 'm', requestId: 'r' } }), { status, headers });

/** Puts a record of the event onto the server. */
export function stored(id: string, more: Record<string, unknown> = {}): void {
  const record = { eventId: 'e', type: 'flights', submitted: false, status: 'unsubmitted', revision: 1, from: 'LHR' };
  server.records.set(id, { _id: id, ...record, ...more } as unknown as ServerRecord);
}

export const columns = columnsOf({
  properties: { from: { type: 'string' }, passengers: { type: 'integer' }, externalReference: { type: 'string' } },
});
export async function visit(scope = 'o:u'): Promise<{ store: Store; engine: Engine }> {
  const store = new Store(() => columns, 'u');
  const engine = new Engine(store, 'e', scope, ['flights']);
  await engine.start();
  return { store, engine };
}
export const until = (f: () => unknown): Promise<void> =>
  vi.waitFor(
    () => {
      if (!f()) throw new Error('not yet');
    },
    { timeout: 5_000, interval: 10 },
  );

/** Time that the test moves on; promises of the browser's database go on by themselves. */
export const clock = (): void => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
export const pass = async (ms: number): Promise<void> => {
  for (let left = ms; left > 0; left -= 100) {
    await vi.advanceTimersByTimeAsync(Math.min(100, left));
    for (let n = 0; n < 5; n++) await new Promise((done) => setImmediate(done));
  }
};
