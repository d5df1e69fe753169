import createFetchClient, { type Client as FetchClient } from "openapi-fetch";
import { ApiError, NoAnswer, NotModified } from "./errors.js";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];

/** The tokens of a session. They are as secret as a password. */
export interface Tokens {
  accessToken?: string;
  refreshToken?: string;
}

export interface ClientOptions {
  /** Where the service is, for example `https://carbon.example.org`. */
  url: string;
  /** The tokens of an earlier client, to continue its session. */
  tokens?: Tokens;
  /** How long one attempt may take, in milliseconds. Default: 30,000. Of an answer that is streamed, such as an export, it is the time until it begins. */
  timeout?: number;
  /** How long the pauses between the attempts of a call may take together, in milliseconds. Default: 90,000, more than the write limit, which is counted over a minute, can require. */
  patience?: number;
  /** The pause between two looks at what is waited for, in milliseconds. Default: 250. */
  pollInterval?: number;
  /** What sends a request. Default: the platform's fetch. */
  fetch?: (request: Request) => Promise<Response>;
  /** Waits so many milliseconds. Default: a timer. */
  sleep?: (milliseconds: number) => Promise<void>;
}

export interface Client {
  /** Every operation of the document, typed: `client.api.GET("/events")`. */
  readonly api: FetchClient<paths>;
  /** Begins a session. Log in once and keep the client: logins are few by the service's limits. */
  login(email: string, password: string): Promise<void>;
  /** Goes on in another organization that the account is a member of, in the same session. */
  switchTo(organization: string): Promise<void>;
  /** Ends the session: its tokens stop working, and the client forgets them. */
  logout(): Promise<void>;
  /** Returns the tokens, to continue the session in another client. */
  tokens(): Tokens;
  /** Returns the data of an answer, or throws its ApiError, or NotModified. */
  data<T extends { data: unknown }>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T["data"]>;
  /** Yields the items of all pages; `read` reads the page with the given query. */
  items<T>(read: (query: { page: number; limit: number }) => Promise<ListAnswer<T>>): AsyncGenerator<T>;
  /** Returns the result of an event once it counts all that was approved before the call. */
  waitForResult(eventId: string, timeout?: number): Promise<Schemas["Result"]>;
  /** Returns an import once it has completed or failed. */
  waitForImport(eventId: string, importId: string, timeout?: number): Promise<Schemas["Import"]>;
}

interface ListAnswer<T> {
  data?: { data: { items: T[]; pagination: { totalPages: number } } };
  error?: unknown;
  response: Response;
}

const firstPause = 100;
const lastPause = 5_000;
const largestPage = 100;

/** Makes a client. It may be shared by everything in a program. */
export function createClient(options: ClientOptions): Client {
  const root = new URL(options.url).href.replace(/\/+$/, "").replace(/\/api\/v2$/, "") + "/api/v2";
  const send = options.fetch ?? ((request: Request) => fetch(request));
  const sleep = options.sleep ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)));
  const pollInterval = options.pollInterval ?? 250;
  let tokens: Tokens = { ...options.tokens };
  let renewing: Promise<boolean> | undefined;

  /** Sends a request until it is answered for good, or the patience ends. */
  async function attempts(first: Request): Promise<Response> {
    const request = keyed(first, root);
    const safe = isSafe(request);
    const open = /\/auth\/(login|refresh|setup)$/.test(new URL(request.url).pathname);
    let patience = options.patience ?? 90_000;
    let renewed = false;
    for (let failures = 0; ; ) {
      const token = open ? undefined : tokens.accessToken;
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(new DOMException("the attempt took too long", "TimeoutError")), options.timeout ?? 30_000);
      // Not followed: a POST would become a GET, and the token would be sent elsewhere.
      const once = new Request(request.clone(), { redirect: "manual", signal: AbortSignal.any([request.signal, limit.signal]) });
      if (token) once.headers.set("Authorization", `Bearer ${token}`);
      let pause = pauseAfter(failures);
      let ending: () => Response;
      try {
        const answer = await whole(await send(once));
        if (isRedirection(answer)) return redirected(answer);
        if (answer.status === 401 && token && !renewed) {
          renewed = true;
          if (await renew(token)) continue;
          return answer;
        }
        if (!(await mayRepeat(answer, safe))) return answer;
        const after = Number(answer.headers.get("Retry-After") ?? NaN);
        if (after >= 0) pause = after * 1000 + Math.random() * firstPause;
        ending = () => answer;
      } catch (cause) {
        if (request.signal.aborted) throw cause;
        const failed = new NoAnswer(request.method, request.url, cause);
        if (!safe) throw failed;
        ending = () => {
          throw failed;
        };
      } finally {
        clearTimeout(timer);
      }
      if (pause > patience) return ending();
      patience -= pause;
      failures++;
      await sleep(pause);
    }
  }

  /** What refreshes are of; none: the organization of the login. */
  let organization: string | undefined;

  /** Gets another access token in place of a refused one; calls refused together share one renewal. */
  async function renew(refused: string): Promise<boolean> {
    if (tokens.accessToken !== refused) return Boolean(tokens.accessToken);
    if (!tokens.refreshToken) return false;
    renewing ??= (async () => {
      const now = tokens;
      const { data, response } = await api.POST("/auth/refresh", {
        body: { refreshToken: now.refreshToken ?? "", ...(organization && { organization }) },
      });
      if (tokens !== now) return Boolean(tokens.accessToken);
      if (response.status === 401) tokens = {};
      if (!data?.data.accessToken) return false;
      tokens = { ...now, accessToken: data.data.accessToken };
      return true;
    })().finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  const api = createFetchClient<paths>({ baseUrl: root, fetch: attempts });

  async function data<T extends { data: unknown }>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T["data"]> {
    const answer = await call;
    if (answer.response.status === 304) throw new NotModified();
    if (answer.data === undefined) throw new ApiError(answer.response.status, answer.error);
    return answer.data.data;
  }

  return {
    api,
    data,
    tokens: () => ({ ...tokens }),
    async login(email, password) {
      const { accessToken, refreshToken } = await data(api.POST("/auth/login", { body: { email, password } }));
      tokens = { ...(accessToken && { accessToken }), ...(refreshToken && { refreshToken }) };
      organization = undefined;
    },
    async switchTo(to) {
      const { accessToken } = await data(
        api.POST("/auth/refresh", { body: { refreshToken: tokens.refreshToken ?? "", organization: to } }),
      );
      tokens = { ...tokens, ...(accessToken && { accessToken }) };
      organization = to;
    },
    async logout() {
      await data(api.POST("/auth/logout"));
      tokens = {};
    },
    async *items(read) {
      for (let page = 1, last = 1; page <= last; page++) {
        const list = await data(read({ page, limit: largestPage }));
        yield* list.items;
        last = list.pagination.totalPages;
      }
    },
    async waitForResult(eventId, timeout = 60_000) {
      const deadline = Date.now() + timeout;
      for (;;) {
        const answer = await api.GET("/events/{eventId}/results", { params: { path: { eventId } } });
        const result = answer.data?.data;
        if (result?.status === "current") return result;
        if (!result) {
          const refused = new ApiError(answer.response.status, answer.error);
          if (!refused.details.some((d) => d.code === "CALCULATION_PENDING")) throw refused;
        }
        if (Date.now() + pollInterval > deadline) throw new Error(`the result of the event ${eventId} is not current after ${timeout} ms`);
        await sleep(pollInterval);
      }
    },
    async waitForImport(eventId, importId, timeout = 600_000) {
      const deadline = Date.now() + timeout;
      for (;;) {
        const now = await data(api.GET("/events/{eventId}/imports/{importId}", { params: { path: { eventId, importId } } }));
        if (now.status === "completed" || now.status === "failed") return now;
        if (Date.now() + pollInterval > deadline) throw new Error(`the import ${importId} is ${now.status} after ${timeout} ms`);
        await sleep(pollInterval);
      }
    },
  };
}

/**
 * Returns a POST, or a DELETE of a record, with an idempotency key, so that all its attempts have one effect. Sign-in
 * and other deletions take none.
 */
function keyed(request: Request, root: string): Request {
  const path = request.url.slice(root.length);
  const takesKey = request.method === "POST" ? !/^\/auth(\/|$)/.test(path) : request.method === "DELETE" && /^\/events\/[^/]+\/./.test(path);
  if (takesKey && !request.headers.has("Idempotency-Key")) {
    request.headers.set("Idempotency-Key", crypto.randomUUID());
  }
  return request;
}

/** Reports whether a request may be sent again when it is not known what became of it. */
function isSafe(request: Request): boolean {
  return (
    request.method === "GET" ||
    // Replacing what a reference names comes to the same twice, unless it is to be created only.
    (request.method === "PUT" && !request.headers.has("If-None-Match")) ||
    /\/auth\/(login|refresh)$/.test(new URL(request.url).pathname) ||
    ["Idempotency-Key", "If-Match", "X-Dry-Run"].some((name) => request.headers.has(name))
  );
}

function isRedirection(answer: Response): boolean {
  return answer.type === "opaqueredirect" || (answer.status >= 300 && answer.status < 400 && answer.status !== 304);
}

/** Returns a redirection as a refusal. A browser does not tell where to. */
function redirected(answer: Response): Response {
  const to = answer.headers.get("Location") ?? "another one";
  const message = `The address redirects to ${to}. Use the address of the service itself.`;
  return Response.json({ error: { message } }, { status: answer.status || 302 });
}

/** Reads the body of an answer, so that one that breaks off counts as none. What is streamed has no length and is left to the caller. */
async function whole(answer: Response): Promise<Response> {
  if (!answer.body || !answer.headers.has("Content-Length")) return answer;
  const { status, statusText, headers, url } = answer;
  return Object.defineProperty(new Response(await answer.arrayBuffer(), { status, statusText, headers }), "url", { value: url });
}

async function mayRepeat(answer: Response, safe: boolean): Promise<boolean> {
  if (answer.status === 429) return true;
  if ([502, 503, 504].includes(answer.status)) return safe;
  if (answer.status !== 409) return false;
  return (await answer.clone().text()).includes('"IDEMPOTENCY_IN_PROGRESS"');
}

/** Returns a pause in milliseconds that doubles with every failure, up to half of it random. */
function pauseAfter(failures: number): number {
  const grown = Math.min(firstPause * 2 ** Math.min(failures, 6), lastPause);
  return grown / 2 + (Math.random() * grown) / 2;
}
