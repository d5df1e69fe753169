import { beforeEach, describe, expect, it, vi } from 'vitest';
import { browserLocks } from './locks';

/** The client of one tab; tabs share the browser's storage and locks. */
const tab = async (): Promise<typeof import('../src/api/client')> => {
  vi.resetModules();
  return import('../src/api/client');
};

let asked: string[];
let answer: (path: string) => Response | Promise<Response>;
let expired: boolean;

const failed = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify({ error: { code, message: 'm', requestId: 'r' } }), { status, headers });
const fine = (): Response => new Response('{"data":{}}', { headers: { 'Content-Type': 'application/json' } });

beforeEach(() => {
  vi.unstubAllGlobals();
  asked = [];
  expired = true;
  answer = (path) => {
    if (path === '/session/refresh') {
      expired = false;
      return fine();
    }
    return expired ? failed(401, 'UNAUTHENTICATED') : fine();
  };
  const kept = new Map<string, string>();
  vi.stubGlobal('location', { origin: 'http://localhost' });
  vi.stubGlobal('localStorage', {
    getItem: (k: string) => kept.get(k) ?? null,
    setItem: (k: string, v: string) => kept.set(k, v),
  });
  vi.stubGlobal('navigator', { locks: browserLocks() });
  vi.stubGlobal('fetch', async (input: Request | string, init?: RequestInit) => {
    const request = typeof input === 'string' ? new Request(`http://localhost${input}`, init) : input;
    expect(request.headers.get('X-ECF-Console')).toBe('1');
    const path = new URL(request.url).pathname;
    asked.push(path);
    await Promise.resolve();
    return answer(path);
  });
});

const refreshes = (): number => asked.filter((p) => p === '/session/refresh').length;

describe('the session', () => {
  it('is renewed once for all requests of all tabs, and what was asked is asked again', async () => {
    const tabs = await Promise.all([tab(), tab()]);
    const answers = await Promise.all(
      tabs.flatMap((t) => [t.call('GET', '/a'), t.call('GET', '/b'), t.call('POST', '/c', {})]),
    );
    expect(answers.map((a) => a.status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(refreshes()).toBe(1);
  });
  it('is renewed on 401 only: a reload costs nothing', async () => {
    expired = false;
    const { call } = await tab();
    await call('GET', '/auth/me');
    answer = () => failed(403, 'FORBIDDEN');
    await expect(call('GET', '/a')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(refreshes()).toBe(0);
  });
  it('has ended where it cannot be renewed', async () => {
    answer = () => failed(401, 'UNAUTHENTICATED');
    const { call, onSessionEnded } = await tab();
    const ended = vi.fn();
    onSessionEnded(ended);
    await expect(call('GET', '/a')).rejects.toMatchObject({ status: 401 });
    expect(ended).toHaveBeenCalledOnce();
    expect(refreshes()).toBe(1);
  });
  it('goes on where there were too many sign-ins from this address, and the refusal says when', async () => {
    answer = (path) =>
      path === '/session/refresh'
        ? failed(429, 'RATE_LIMITED', { 'Retry-After': '41' })
        : failed(401, 'UNAUTHENTICATED');
    const { call, onSessionEnded } = await tab();
    const ended = vi.fn();
    onSessionEnded(ended);
    await expect(call('GET', '/a')).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter: 41 });
    expect(ended).not.toHaveBeenCalled();
  });
});

describe('lists', () => {
  it('are asked for again by their tags, and forgotten with the session', async () => {
    const tags: (string | null)[] = [];
    vi.stubGlobal('fetch', async (request: Request) => {
      const tag = request.headers.get('If-None-Match');
      tags.push(tag);
      return tag
        ? new Response(null, { status: 304 })
        : new Response('{"data":[1]}', { headers: { 'Content-Type': 'application/json', ETag: '"t"' } });
    });
    const { call, forget } = await tab();
    for (let n = 0; n < 2; n++) expect((await call('GET', '/a')).data).toEqual([1]);
    forget();
    await call('GET', '/a');
    expect(tags).toEqual([null, '"t"', null]);
  });
});

describe('what is kept of lists', () => {
  it('is of answers to reading only, and of those that were given', async () => {
    const tags: (string | null)[] = [];
    let status = 500;
    vi.stubGlobal('fetch', async (request: Request) => {
      tags.push(request.headers.get('If-None-Match'));
      const headers = { 'Content-Type': 'application/json', ETag: '"t"' };
      return new Response('{"data":[1]}', { status, headers });
    });
    const { call } = await tab();
    await expect(call('GET', '/a')).rejects.toMatchObject({ status: 500 });
    status = 200;
    await call('POST', '/a', {});
    await call('GET', '/a');
    await call('POST', '/a', {});
    expect(tags).toEqual([null, null, null, null]);
  });
  it('is of every page, in their order', async () => {
    const { all } = await tab();
    const asked: number[] = [];
    let pages = 15;
    const page = async (n: number) => {
      asked.push(n);
      return { items: [n], pagination: { total: pages, totalPages: pages } };
    };
    const numbers = Array.from({ length: 15 }, (_, n) => n + 1);
    const begun = vi.fn(() => expect(asked).toEqual([1]));
    expect(await all(page, begun)).toEqual(numbers);
    expect(asked).toEqual(numbers);
    expect(begun.mock.calls).toEqual([[[1], 15]]);
    pages = 1;
    expect(await all(page, begun)).toEqual([1]);
    expect(begun).toHaveBeenCalledTimes(1);
  });
});

describe('a request that is sent again', () => {
  it('has its key until it is refused, and another request another one', async () => {
    const { ApiError, keyed } = await tab();
    const once = keyed();
    const keys: string[] = [];
    const send = (request: unknown, status?: number): Promise<void> =>
      once(request, async (key) => {
        keys.push(key);
        if (status !== undefined) throw new ApiError(status, 'C', '', '');
      }).catch(() => {});
    for (const status of [0, 503, 409, 400]) await send({ n: 1 }, status);
    await send({ n: 1 });
    await send({ n: 2 });
    await send({ n: 2 }); // what was answered is sent anew, such as a row that is submitted again after it was withdrawn
    expect(new Set(keys.slice(0, 4)).size).toBe(1);
    expect(new Set(keys).size).toBe(4);
  });
});
