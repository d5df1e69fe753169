import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { remove, submit } from '../src/sheet/commands';
import { discardDrafts, takeOver } from '../src/sheet/drafts';
import type { ServerRecord } from '../src/sheet/store';
import { begin, clock, end, pass, refusal, server, stored, until, visit } from './sheetserver';

beforeEach(begin);
afterEach(async () => {
  vi.useRealTimers();
  await end();
});

const isSave = (r: Request): boolean => r.method !== 'GET' && !r.headers.get('X-Dry-Run');
/** What the sheet has sent to be saved, as far as the server has heard of it. */
function heard(answer: (r: Request) => Response | undefined): { method: string; key: string | null; body: string }[] {
  const sent: { method: string; key: string | null; body: string }[] = [];
  server.instead = (r) => {
    if (!isSave(r)) return undefined;
    const one = { method: r.method, key: r.headers.get('Idempotency-Key'), body: '' };
    sent.push(one);
    void r
      .clone()
      .text()
      .then((text) => {
        one.body = text;
      });
    return answer(r);
  };
  return sent;
}

describe('a server that refuses', () => {
  it('is sent a refused batch anew with another key, and what is typed after it', async () => {
    clock();
    const { store, engine } = await visit();
    const sent = heard(() => refusal(403, 'FORBIDDEN'));
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await pass(1_000);
    expect(engine.trouble).toMatchObject({ kind: 'error', error: { code: 'FORBIDDEN' } });
    expect((await takeOver('o:u', 'e', 'nobody')).outgoing).toEqual([]);
    store.edit([{ type: 'flights', cells: { from: 'AMS' } }]);
    await pass(1_000);
    expect(sent.map((s) => JSON.parse(s.body).items.length)).toEqual([1, 2]);
    expect(sent[1]?.key).not.toBe(sent[0]?.key);
    server.instead = () => undefined;
    await pass(16_000);
    expect([...server.records.values()].map((r) => r.from)).toEqual(['LHR', 'AMS']);
    expect(engine.trouble).toBeNull();
    await engine.stop();
  });
  it('is sent a refused batch ever more rarely, until something is typed', async () => {
    clock();
    const { store, engine } = await visit();
    const sent = heard(() => refusal(403, 'FORBIDDEN'));
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await pass(110_000);
    expect(sent).toHaveLength(4); // at once, and 15, 45 and 105 seconds later
    store.edit([{ type: 'flights', cells: { from: 'AMS' } }]);
    await pass(20_000);
    expect(sent).toHaveLength(6);
    await engine.stop();
  });
  it('is not asked again before the time it names, whatever is typed', async () => {
    clock();
    const { store, engine } = await visit();
    const sent = heard(() => refusal(429, 'RATE_LIMITED', { 'Retry-After': '41' }));
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await pass(1_000);
    expect(engine.trouble).toEqual({ kind: 'wait', seconds: 41 });
    const asked = server.requests.length;
    store.edit([{ type: 'flights', cells: { from: 'AMS' } }]);
    engine.left();
    await pass(39_000);
    expect(sent).toHaveLength(1);
    expect(server.requests).toHaveLength(asked);
    server.instead = () => undefined;
    await pass(3_000);
    expect(server.records.size).toBe(2);
    expect(engine.trouble).toBeNull();
    await engine.stop();
  });
  it('is sent nothing by itself once the session has ended, and everything after it is renewed', async () => {
    clock();
    const { store, engine } = await visit();
    vi.stubGlobal('fetch', async (r: Request | string) =>
      typeof r === 'string' ? refusal(401, 'UNAUTHENTICATED') : server.fetch(r),
    );
    const sent = heard(() => refusal(401, 'UNAUTHENTICATED'));
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await pass(1_000);
    expect(sent.length).toBeGreaterThan(0);
    const tries = sent.length;
    await pass(60_000);
    expect(sent).toHaveLength(tries);
    server.instead = () => undefined;
    engine.schedule(0);
    await pass(1_000);
    expect(server.records.size).toBe(1);
    await engine.stop();
  });
  it('is asked again while another tab of the same batch is at work there, with the same key', async () => {
    clock();
    const { store, engine } = await visit();
    const sent = heard(() => refusal(409, 'IDEMPOTENCY_IN_PROGRESS'));
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await pass(6_000);
    expect(sent.length).toBeGreaterThan(1);
    expect(new Set(sent.map((s) => s.key)).size).toBe(1);
    await engine.stop();
  });
});

describe('a saved row', () => {
  const patches = (): string[] => server.requests.filter((r) => r.startsWith('PATCH') && !r.endsWith('dry'));

  it('says why it cannot be saved, until it can', async () => {
    stored('r1');
    const { store, engine } = await visit();
    heard(() => refusal(409, 'RECORD_LOCKED'));
    store.edit([{ key: 'r1', type: 'flights', cells: { from: 'CDG' } }]);
    await until(() => store.get('r1')?.failed);
    expect(store.get('r1')?.cells.from).toBe('CDG');
    server.instead = () => undefined;
    engine.schedule(0);
    await until(() => server.records.get('r1')?.from === 'CDG');
    await until(() => store.get('r1')?.failed === undefined);
    await engine.stop();
  });
  it('shows the faults that only saving finds', async () => {
    stored('r1');
    const { store, engine } = await visit();
    heard(
      () =>
        new Response(
          JSON.stringify({
            error: {
              code: 'VALIDATION_ERROR',
              message: 'm',
              requestId: 'r',
              details: [{ field: 'from', code: 'UNKNOWN_CODE', message: 'm' }],
            },
          }),
          { status: 400 },
        ),
    );
    store.edit([{ key: 'r1', type: 'flights', cells: { from: 'CDG' } }]);
    await until(() => store.get('r1')?.check.faults.from);
    expect(store.get('r1')?.check.state).toBe('bad');
    await engine.stop();
  });
  it('is changed only as it was read: a write in between is shown', async () => {
    stored('r1');
    const { store, engine } = await visit();
    server.instead = (r) => {
      // Somebody else writes between the reading and the writing.
      if (r.method === 'PATCH') Object.assign(server.records.get('r1') as object, { from: 'AMS', revision: 9 });
      return undefined;
    };
    store.edit([{ key: 'r1', type: 'flights', cells: { from: 'CDG' } }]);
    await until(() => store.get('r1')?.theirs);
    expect(server.records.get('r1')?.from).toBe('AMS');
    await engine.stop();
  });
  it('is saved after a write in between that leaves what is typed alone', async () => {
    stored('r1');
    const { store, engine } = await visit();
    let once = true;
    server.instead = (r) => {
      if (r.method === 'PATCH' && once) Object.assign(server.records.get('r1') as object, { revision: 9 });
      if (r.method === 'PATCH') once = false;
      return undefined;
    };
    store.edit([{ key: 'r1', type: 'flights', cells: { from: 'CDG' } }]);
    await until(() => server.records.get('r1')?.from === 'CDG');
    await until(() => store.get('r1')?.saved?.from === 'CDG');
    expect(patches()).toHaveLength(2);
    await engine.stop();
  });
  it('is checked without its own reference, which would be taken', async () => {
    stored('r1', { externalReference: 'INV-1' });
    const { store, engine } = await visit();
    const checked: string[] = [];
    server.instead = (r) => {
      if (r.headers.get('X-Dry-Run'))
        void r
          .clone()
          .text()
          .then((body) => checked.push(body));
      return undefined;
    };
    store.edit([{ key: 'r1', type: 'flights', cells: { from: 'CDG' } }]);
    await until(() => server.records.get('r1')?.from === 'CDG');
    expect(checked).toEqual(['{"items":[{"from":"CDG"}]}']);
    await engine.stop();
  });
  it('is checked again where the record has moved on while something is typed into it', async () => {
    stored('r1');
    const { store, engine } = await visit();
    engine.active = 'r1';
    store.edit([{ key: 'r1', type: 'flights', cells: { from: 'CDG' } }]);
    await until(() => store.get('r1')?.check.state === 'good');
    stored('r1', { revision: 2 });
    await engine.reload();
    expect(store.get('r1')?.check.state).toBe('waiting');
    await until(() => store.get('r1')?.check.state === 'good');
    expect(patches()).toEqual([]);
    await engine.stop();
  });
  it('moves the figures of the event', async () => {
    const { store, engine } = await visit();
    const saved = vi.fn();
    engine.onSaved = saved;
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await until(() => server.records.size === 1 && saved.mock.calls.length > 0);
    await engine.stop();
  });
  it('moves the figures of the event also where only the second answer arrives', async () => {
    clock();
    const { store, engine } = await visit();
    const saved = vi.fn();
    engine.onSaved = saved;
    server.loseAnswers = true;
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await pass(1_000);
    expect(saved).not.toHaveBeenCalled();
    server.loseAnswers = false;
    await pass(5_000);
    expect(server.records.size).toBe(1);
    expect(saved).toHaveBeenCalled();
    await engine.stop();
  });
});

describe('what is typed while a request is on its way', () => {
  it('is checked for itself: an answer about the cells before it says nothing of them', async () => {
    const { store, engine } = await visit();
    let go: (() => void) | undefined;
    const { fetch } = server;
    server.fetch = async (r) => {
      const answer = await fetch(r);
      if (r.headers.get('X-Dry-Run') && !go)
        await new Promise<void>((done) => {
          go = done;
        });
      return answer;
    };
    const [key = ''] = store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    engine.active = key;
    await until(() => go);
    store.edit([{ key, type: 'flights', cells: { from: 'JKF' } }]);
    go?.();
    await until(() => store.get(key)?.check.state === 'bad');
    engine.active = null;
    engine.left();
    await until(() => server.requests.filter((r) => r.endsWith('dry')).length === 2);
    expect(server.records.size).toBe(0);
    await engine.stop();
  });
  it('can be mended after its saving was refused', async () => {
    const { store, engine } = await visit();
    let refuse = true;
    server.instead = (r) =>
      isSave(r) && refuse
        ? new Response(
            JSON.stringify({ data: { items: [{ error: { code: 'CONFLICT', message: 'taken', requestId: 'r' } }] } }),
          )
        : undefined;
    const [key = ''] = store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await until(() => store.get(key)?.check.faults['']);
    refuse = false;
    store.edit([{ key, type: 'flights', cells: { from: 'CDG' } }]);
    await until(() => server.records.size === 1);
    await engine.stop();
  });
  it('is not sent any more where it was discarded, and neither is what had no answer', async () => {
    clock();
    const { store, engine } = await visit();
    const sent = heard(() => refusal(503, 'UNAVAILABLE'));
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await pass(1_000);
    expect(sent).toHaveLength(1);
    engine.discard();
    await discardDrafts('o:u');
    server.instead = () => undefined;
    await pass(20_000);
    expect(server.records.size).toBe(0);
    expect(store.rows).toEqual([]);
    await engine.stop();
    expect(await takeOver('o:u', 'e', 'nobody')).toEqual({ drafts: [], outgoing: [], others: [] });
  });
  it('is no draft any more once it is saved', async () => {
    const { store, engine } = await visit();
    store.edit([{ type: 'flights', cells: { from: 'LHR' } }]);
    await engine.keep();
    await until(() => server.records.size === 1);
    await engine.stop();
    expect(await takeOver('o:u', 'e', 'nobody')).toEqual({ drafts: [], outgoing: [], others: [] });
  });
});

describe('commands', () => {
  it('submit saved rows only: what is typed into one and not saved stays unsubmitted', async () => {
    stored('r1');
    stored('r2');
    const { store, engine } = await visit();
    engine.active = 'r2';
    store.edit([{ key: 'r2', type: 'flights', cells: { from: 'CDG' } }]);
    const bodies: unknown[] = [];
    server.instead = (r) => {
      if (!r.url.endsWith('/submit')) return undefined;
      void r.json().then((body) => bodies.push(body));
      return new Response(
        JSON.stringify({
          data: { items: [{ record: { ...server.records.get('r1'), status: 'pending', revision: 2 } }] },
        }),
      );
    };
    const rows = ['r1', 'r2'].flatMap((key) => store.get(key) ?? []);
    expect(await submit(engine, rows)).toEqual({ done: 1, refused: [] });
    await until(() => bodies.length > 0);
    expect(bodies).toEqual([{ ids: ['r1'] }]);
    expect(store.get('r1')?.status).toBe('pending');
    await engine.stop();
  });
  it('that submit rows do so once, however often they are given, and once more after an answer that was lost', async () => {
    stored('r1');
    const { store, engine } = await visit();
    const keys: (string | null)[] = [];
    let lost = true;
    server.instead = (r) => {
      if (!r.url.endsWith('/submit')) return undefined;
      keys.push(r.headers.get('Idempotency-Key'));
      stored('r1', { status: 'submitted', revision: 2 });
      if (lost) throw new TypeError('connection lost');
      return new Response(JSON.stringify({ data: { items: [{ record: server.records.get('r1') }] } }));
    };
    const [first, second] = [submit(engine, [...store.rows]), submit(engine, [...store.rows])];
    expect(await second).toEqual({ done: 0, refused: [] });
    await expect(first).rejects.toMatchObject({ code: 'NETWORK' });
    lost = false;
    expect(await submit(engine, [...store.rows])).toEqual({ done: 1, refused: [] });
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    await engine.stop();
  });
  it('that were refused show what the rows are now', async () => {
    stored('r1');
    const { store, engine } = await visit();
    stored('r1', { status: 'submitted', revision: 2 });
    server.instead = (r) =>
      r.url.endsWith('/submit')
        ? new Response(
            JSON.stringify({
              data: { items: [{ error: { code: 'INVALID_TRANSITION', message: 'm', requestId: 'r' } }] },
            }),
          )
        : undefined;
    expect((await submit(engine, [...store.rows])).refused).toHaveLength(1);
    expect(store.get('r1')?.status).toBe('submitted');
    await engine.stop();
  });
  it('that delete a row leave nothing of it to undo', async () => {
    stored('r1');
    const { store, engine } = await visit();
    store.edit([{ key: 'r1', type: 'flights', cells: { from: 'CDG' } }]);
    await until(() => server.records.get('r1')?.from === 'CDG');
    expect(
      await remove(
        engine,
        [store.get('r1')].flatMap((r) => r ?? []),
      ),
    ).toEqual([]);
    expect(store.canUndo).toBe(false);
    expect(store.rows).toEqual([]);
    await engine.stop();
  });
  it('leave rows that are decided alone', async () => {
    stored('r1', { status: 'approved' });
    const { store, engine } = await visit();
    const asked = server.requests.length;
    await remove(engine, store.rows);
    expect(server.requests).toHaveLength(asked);
    expect((store.rows[0] as unknown as ServerRecord).status).toBe('approved');
    await engine.stop();
  });
});
