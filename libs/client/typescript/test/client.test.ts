// Tests of the client's attempts, with a fetch that fails on purpose.
import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { ApiError, createClient, NoAnswer, NotModified, type Tokens } from "../src/index.js";

const session: Tokens = { accessToken: "old", refreshToken: "refresh" };

function ok(data: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ success: true, data }), { status: 200, headers: { "Content-Type": "application/json", ...headers } });
}

function refusal(status: number, code: string, headers: Record<string, string> = {}, details: unknown[] = []): Response {
  const body = { success: false, error: { code, message: code, requestId: "r1", details } };
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });
}

type Answer = Response | Error | ((request: Request) => Response);

function service(answers: Answer[], tokens: Tokens = session) {
  const requests: Request[] = [];
  const pauses: number[] = [];
  const client = createClient({
    url: "http://ecf.test",
    tokens,
    pollInterval: 0,
    sleep: async (ms) => void pauses.push(ms),
    fetch: async (request) => {
      requests.push(request);
      const answer = answers.shift();
      if (answer === undefined) throw new Error(`nothing more was to be asked: ${request.method} ${request.url}`);
      if (answer instanceof Error) throw answer;
      return typeof answer === "function" ? answer(request) : answer;
    },
  });
  return { client, requests, pauses };
}

test("the attempts of a POST carry one key", async () => {
  const s = service([new TypeError("reset"), refusal(503, "UNAVAILABLE", { "Retry-After": "2" }), ok({ _id: "e1" })]);
  const event = await s.client.data(s.client.api.POST("/events", { body: { title: "Fair" } }));
  assert.equal(event._id, "e1");
  const keys = s.requests.map((r) => r.headers.get("Idempotency-Key"));
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
  assert.ok(keys[0]);
  assert.ok((s.pauses[1] ?? 0) >= 2000, "Retry-After is the least pause");
  for (const r of s.requests) assert.deepEqual(await r.json(), { title: "Fair" });
});

test("a write that may have happened is not repeated, a conditional one is", async () => {
  const params = { path: { eventId: "e1" } };
  const s = service([new TypeError("reset")]);
  await assert.rejects(s.client.data(s.client.api.PATCH("/events/{eventId}", { params, body: { title: "x" } })), NoAnswer);
  assert.equal(s.requests.length, 1);
  const c = service([new TypeError("reset"), ok({ _id: "e1" })]);
  await c.client.data(c.client.api.PATCH("/events/{eventId}", { params: { ...params, header: { "If-Match": '"1"' } }, body: { title: "x" } }));
  assert.equal(c.requests.length, 2);
});

test("a replacement is repeated unless it only creates", async () => {
  const path = { eventId: "e1", type: "waste", reference: "ERP/1" };
  const body = { weightKg: 1, treatment: "landfill" } as const;
  const s = service([new TypeError("reset"), refusal(503, "UNAVAILABLE"), ok({ _id: "r1" })]);
  await s.client.data(s.client.api.PUT("/events/{eventId}/{type}/by-reference/{reference}", { params: { path }, body }));
  assert.equal(s.requests.length, 3);
  const c = service([new TypeError("reset")]);
  const header = { "If-None-Match": "*" };
  await assert.rejects(c.client.data(c.client.api.PUT("/events/{eventId}/{type}/by-reference/{reference}", { params: { path, header }, body })), NoAnswer);
  assert.equal(c.requests.length, 1);
});

test("a deletion of a record is repeated with its key, that of an event is not", async () => {
  const path = { eventId: "e1", type: "waste", reference: "ERP/1" };
  const s = service([new TypeError("reset"), ok({ _id: "r1", deleted: true })]);
  await s.client.data(s.client.api.DELETE("/events/{eventId}/{type}/by-reference/{reference}", { params: { path } }));
  const keys = s.requests.map((r) => r.headers.get("Idempotency-Key"));
  assert.equal(keys.length, 2);
  assert.ok(keys[0]);
  assert.equal(keys[0], keys[1]);
  const e = service([new TypeError("reset")]);
  await assert.rejects(e.client.data(e.client.api.DELETE("/events/{eventId}", { params: { path: { eventId: "e1" } } })), NoAnswer);
  assert.equal(e.requests[0]?.headers.get("Idempotency-Key"), null);
});

test("a refusal names its fields and is not repeated", async () => {
  const s = service([refusal(400, "VALIDATION_ERROR", {}, [{ field: "title", message: "title is required", suggestions: ["a", "b"] }])]);
  await assert.rejects(s.client.data(s.client.api.POST("/events", { body: { title: "" } })), (e: unknown) => {
    assert.ok(e instanceof ApiError);
    assert.equal(e.code, "VALIDATION_ERROR");
    assert.match(e.message, /title: title is required \(suggestions: a, b\)/);
    return true;
  });
});

test("an answer that has not changed is no refusal", async () => {
  const s = service([new Response(null, { status: 304 })]);
  const params = { path: { eventId: "e1" }, header: { "If-None-Match": '"tag"' } };
  await assert.rejects(s.client.data(s.client.api.GET("/events/{eventId}/results", { params })), NotModified);
  assert.equal(s.requests.length, 1);
});

test("a switch to another organization holds for later refreshes", async () => {
  const s = service([ok({ accessToken: "other" }), refusal(401, "UNAUTHENTICATED"), ok({ accessToken: "renewed" }), ok({ _id: "u1" })]);
  await s.client.switchTo("o2");
  await s.client.data(s.client.api.GET("/auth/me"));
  assert.deepEqual(s.client.tokens(), { accessToken: "renewed", refreshToken: "refresh" });
  for (const n of [0, 2]) assert.deepEqual(await s.requests[n]?.clone().json(), { refreshToken: "refresh", organization: "o2" });
  assert.equal(s.requests[3]?.headers.get("Authorization"), "Bearer renewed");
});

test("a refused switch changes nothing", async () => {
  const s = service([refusal(404, "NOT_FOUND")]);
  await assert.rejects(s.client.switchTo("nobody's"), ApiError);
  assert.deepEqual(s.client.tokens(), session);
});

test("what waits for a second manager is the answer", async () => {
  const proposed = new Response(JSON.stringify({ success: true, data: { change: { _id: "c1" } } }), { status: 202, headers: { "Content-Type": "application/json" } });
  const s = service([proposed]);
  const params = { path: { eventId: "e1" }, header: { "If-Match": '"1"' } };
  const answer = await s.client.data(s.client.api.PATCH("/events/{eventId}", { params, body: { attendees: 240 } }));
  assert.ok("change" in answer && answer.change._id === "c1");
});

test("the default patience outlasts the write limit", async () => {
  const s = service([refusal(429, "RATE_LIMITED", { "Retry-After": "60" }), ok({ _id: "e1" })]);
  await s.client.data(s.client.api.POST("/events", { body: { title: "Fair" } }));
  assert.equal(s.requests.length, 2);
});

test("the patience ends", async () => {
  const limited = () => refusal(429, "RATE_LIMITED", { "Retry-After": "40" });
  const s = service([limited(), limited(), limited()]);
  await assert.rejects(s.client.data(s.client.api.GET("/events")), { code: "RATE_LIMITED" });
  assert.equal(s.requests.length, 3);
});

test("calls refused together share one renewal", async () => {
  const me = (request: Request) =>
    request.url.endsWith("/auth/refresh")
      ? ok({ accessToken: "new" })
      : request.headers.get("Authorization") === "Bearer new"
        ? ok({ name: "me" })
        : refusal(401, "UNAUTHENTICATED");
  const s = service(Array.from({ length: 50 }, () => me));
  await Promise.all(Array.from({ length: 8 }, () => s.client.data(s.client.api.GET("/auth/me"))));
  assert.equal(s.requests.filter((r) => r.url.endsWith("/auth/refresh")).length, 1);
  assert.deepEqual(s.client.tokens(), { accessToken: "new", refreshToken: "refresh" });
});

test("a refused refresh ends the session", async () => {
  const s = service([refusal(401, "UNAUTHENTICATED"), refusal(401, "UNAUTHENTICATED")]);
  await assert.rejects(s.client.data(s.client.api.GET("/auth/me")), { status: 401 });
  assert.deepEqual(s.client.tokens(), {});
});

test("items of all pages", async () => {
  const page = (number: number, items: unknown[]) => ok({ items, pagination: { page: number, limit: 100, total: 3, totalPages: 2 } });
  const s = service([page(1, ["a", "b"]), page(2, ["c"])]);
  const found: unknown[] = [];
  for await (const item of s.client.items((query) => s.client.api.GET("/events", { params: { query } }))) found.push(item);
  assert.deepEqual(found, ["a", "b", "c"]);
});

test("waits until the result is current", async () => {
  const s = service([refusal(404, "RESULT_NOT_FOUND", {}, [{ code: "CALCULATION_PENDING" }]), ok({ status: "recalculating" }), ok({ status: "current", revision: 7 })]);
  assert.equal((await s.client.waitForResult("e1")).revision, 7);
  const none = service([refusal(404, "RESULT_NOT_FOUND")]);
  await assert.rejects(none.client.waitForResult("e1"), { code: "RESULT_NOT_FOUND" });
});

/** A server that answers each request with the next of these. */
async function serving(answers: ((response: ServerResponse) => void)[], use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((_, response) => answers.shift()?.(response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const event = JSON.stringify({ success: true, data: { _id: "e1" } });
const json = { "Content-Type": "application/json" };

function breaksOff(response: ServerResponse): void {
  response.writeHead(200, { ...json, "Content-Length": event.length });
  response.write(event.slice(0, 20), () => response.destroy());
}

function answers(response: ServerResponse): void {
  response.writeHead(200, { ...json, "Content-Length": event.length });
  response.end(event);
}

test("a redirection is an error that names the address", async () => {
  const s = service([new Response(null, { status: 301, headers: { Location: "https://carbon.example.org/api/v2/auth/login" } })]);
  await assert.rejects(s.client.login("jo@example.org", "secret"), (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.status, 301);
    assert.match(error.message, /redirects to https:\/\/carbon\.example\.org\//);
    return true;
  });
  assert.equal(s.requests[0]?.redirect, "manual");
});

test("an answer that breaks off is none", async () => {
  const path = { eventId: "e1" };
  await serving([breaksOff, answers, breaksOff], async (url) => {
    const client = createClient({ url, tokens: session, sleep: async () => {} });
    assert.equal((await client.data(client.api.GET("/events/{eventId}", { params: { path } })))._id, "e1");
    await assert.rejects(client.data(client.api.PATCH("/events/{eventId}", { params: { path }, body: { title: "x" } })), NoAnswer);
  });
});

test("the limit of an attempt is not one of a stream", async () => {
  const limit = 300;
  const slow = (response: ServerResponse): void => {
    response.writeHead(200, { "Content-Type": "text/csv" });
    response.write("a,b\n");
    setTimeout(() => response.end("1,2\n"), 2 * limit);
  };
  await serving([slow], async (url) => {
    const client = createClient({ url, tokens: session, timeout: limit });
    const { data } = await client.api.GET("/events/{eventId}/export", { params: { path: { eventId: "e1" } }, parseAs: "text" });
    assert.equal(data, "a,b\n1,2\n");
  });
});
