/**
 * The API as the console reaches it: below /session/api, where the server adds
 * the access token that no script can read.
 */
import createClient from 'openapi-fetch';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];

export interface Detail {
  field?: string | undefined;
  code: string;
  message: string;
  suggestions?: string[] | undefined;
}

/** A refusal of the server, or the failure to reach it (code NETWORK). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string,
    readonly details: Detail[] = [],
    /** Seconds to wait before the next try; 0 when the server named none. */
    readonly retryAfter = 0,
    /** The columns of a file whose rehearsal was refused. */
    readonly columns: Schemas['ImportColumn'][] = [],
    /** The sheets of a workbook that was refused. */
    readonly sheets: Schemas['ImportSheet'][] = [],
  ) {
    super(message);
  }
}

/** Returns the error of a response; UNEXPECTED for a response that is not the server's. */
export function errorOf(body: unknown, response: Pick<Response, 'status' | 'headers'>): ApiError {
  const wait = Number(response.headers.get('Retry-After') ?? 0);
  const e = (body as { error?: Partial<ApiError> } | null | undefined)?.error;
  if (typeof e?.code === 'string' && typeof e.message === 'string' && typeof e.requestId === 'string') {
    const details = Array.isArray(e.details) ? e.details : [];
    const columns = Array.isArray(e.columns) ? e.columns : [];
    const sheets = Array.isArray(e.sheets) ? e.sheets : [];
    return new ApiError(response.status, e.code, e.message, e.requestId, details, wait, columns, sheets);
  }
  return new ApiError(
    response.status,
    'UNEXPECTED',
    `HTTP ${response.status}`,
    response.headers.get('X-Request-Id') ?? '',
    [],
    wait,
  );
}

/** Reports whether a request is known to have had no effect. It is not after a lost connection, nor while the server works on it. */
export const isRefused = (cause: unknown): boolean =>
  cause instanceof ApiError &&
  cause.status >= 400 &&
  cause.status < 500 &&
  ![401, 408, 409, 429].includes(cause.status);

/**
 * Returns what sends a request that somebody may send again, with its Idempotency-Key: one that is sent again since
 * its answer was lost has the same key, and so has no effect twice. Another request has another one.
 */
export function keyed(): <T>(request: unknown, send: (key: string) => Promise<T>) => Promise<T> {
  let last = '';
  let key = '';
  return async (request, send) => {
    const now = JSON.stringify(request);
    if (now !== last) [last, key] = [now, crypto.randomUUID()];
    const answered = (): void => {
      if (last === now) last = '';
    };
    try {
      const answer = await send(key);
      answered();
      return answer;
    } catch (cause) {
      if (isRefused(cause)) answered();
      throw cause;
    }
  };
}

export const consoleHeader = { 'X-ECF-Console': '1' };
const refreshedAt = 'ecf.refreshedAt';

/** Called when the session has ended while somebody was at work. */
let sessionEnded: () => void = () => {};
export function onSessionEnded(f: () => void): void {
  sessionEnded = f;
}

/**
 * Renews the access token. Of all tabs one asks; the others, having waited for
 * it, find that it was renewed after their own request had begun.
 */
export async function refresh(since: number): Promise<boolean> {
  const ask = async (): Promise<boolean> => {
    if (Number(localStorage.getItem(refreshedAt) ?? 0) > since) return true;
    const response = await fetch('/session/refresh', { method: 'POST', headers: consoleHeader });
    if (response.ok) {
      localStorage.setItem(refreshedAt, String(Date.now()));
      return true;
    }
    if (response.status === 401) return false;
    throw errorOf(await response.json().catch(() => null), response);
  };
  return navigator.locks ? navigator.locks.request('ecf-session-refresh', ask) : ask();
}

interface Kept {
  tag: string;
  body: string;
}
const kept = new Map<string, Kept>();
const keptMax = 200;

/** Clears the cache, so that no user sees the data of another. */
export function forget(): void {
  kept.clear();
}

/** Waits for the server; that it cannot be reached, or not any more in the middle of an answer, is an error of its own. */
async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError(0, 'NETWORK', '', '');
  }
}

/** Sends a request, renews the session once when it has to, and lists again only what has changed. */
export async function consoleFetch(input: Request): Promise<Response> {
  const began = Date.now();
  const request = new Request(input, { credentials: 'same-origin' });
  request.headers.set('X-ECF-Console', '1');
  const list = request.method === 'GET' && !request.headers.has('If-None-Match');
  const known = list ? kept.get(request.url) : undefined;
  if (known) request.headers.set('If-None-Match', known.tag);
  const again = request.clone();
  let response = await reached(fetch(request));
  if (response.status === 401) {
    if (await refresh(began)) response = await reached(fetch(again));
    if (response.status === 401) sessionEnded();
  }
  if (known && response.status === 304) {
    return new Response(known.body, { status: 200, headers: { 'Content-Type': 'application/json', ETag: known.tag } });
  }
  const tag = response.headers.get('ETag');
  if (list && response.ok && tag && response.headers.get('Content-Type') === 'application/json') {
    const body = await reached(response.text());
    kept.delete(request.url);
    kept.set(request.url, { tag, body });
    const oldest = kept.keys().next().value;
    if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
    return new Response(body, { status: response.status, headers: response.headers });
  }
  return response;
}

export const api = createClient<paths>({
  baseUrl: `${globalThis.location?.origin ?? 'http://localhost'}/session/api`,
  fetch: consoleFetch,
});

interface Answer<T> {
  data?: { data: T } | undefined;
  error?: unknown;
  response: Response;
}

/** Returns the data of a response, or throws its ApiError. */
export async function take<T>(p: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await p;
  if (data === undefined) throw errorOf(error, response);
  return data.data;
}

/** As take, with the ETag for a later If-Match. */
export async function takeTagged<T>(p: Promise<Answer<T>>): Promise<{ data: T; tag: string }> {
  const { data, error, response } = await p;
  if (data === undefined) throw errorOf(error, response);
  return { data: data.data, tag: response.headers.get('ETag') ?? '' };
}

interface Page<T> {
  items: T[];
  pagination: { total: number; totalPages: number };
}

/**
 * Reads a whole list page by page. Pages after the first are read six at a time, the limit of browsers per host.
 * Where there are some, begun is called with the first one and with how many items there are in all.
 */
export async function all<T>(
  page: (n: number) => Promise<Page<T>>,
  begun: (items: T[], total: number) => void = () => {},
): Promise<T[]> {
  const first = await page(1);
  if (first.pagination.totalPages > 1) begun(first.items, first.pagination.total);
  const items = [...first.items];
  for (let n = 2; n <= first.pagination.totalPages; n += 6) {
    const numbers = [0, 1, 2, 3, 4, 5].map((x) => n + x).filter((x) => x <= first.pagination.totalPages);
    for (const p of await Promise.all(numbers.map(page))) items.push(...p.items);
  }
  return items;
}

/** Calls the API where the generated types cannot say which record type is meant. */
export async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ data: T; tag: string; status: number }> {
  const response = await consoleFetch(
    new Request(`${location.origin}/session/api${path}`, {
      method,
      headers: body === undefined ? headers : { 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const answer = (await response.json().catch(() => null)) as { data: T } | null;
  if (!response.ok || answer === null) throw errorOf(answer, response);
  return { data: answer.data, tag: response.headers.get('ETag') ?? '', status: response.status };
}
