// Walks through the client against a running service: ECF_URL, ECF_EMAIL and
// ECF_PASSWORD name it and a manager. Prints the total of an event of 21
// flights, and fails when anything is not as the README says.
import assert from "node:assert/strict";
import { createClient } from "../src/index.js";

const client = createClient({ url: process.env["ECF_URL"] ?? "" });
const { api, data } = client;
await client.login(process.env["ECF_EMAIL"] ?? "", process.env["ECF_PASSWORD"] ?? "");

const flight = { from: "LHR", to: "JFK", class: "economy", passengers: 1 };
const event = await data(api.POST("/events", { body: { title: "Tour of the TypeScript client", country: "GB", attendees: 12 } }));
const path = { eventId: event._id, type: "flights" };

const key = { "Idempotency-Key": `tour-${event._id}` };
const first = await data(api.POST("/events/{eventId}/{type}", { params: { path, header: key }, body: flight }));
const second = await data(api.POST("/events/{eventId}/{type}", { params: { path, header: key }, body: flight }));
assert.equal(first._id, second._id, "one key has one effect");

const items = Array.from({ length: 20 }, (_, n) => ({ ...flight, passengers: n + 1 }));
await data(api.POST("/events/{eventId}/{type}/batch", { params: { path }, body: { items } }));

const ids: string[] = [];
let expected = 0n;
for await (const record of client.items((query) => api.GET("/events/{eventId}/{type}", { params: { path, query } }))) {
  ids.push(record._id);
  expected += BigInt(Math.round((record.footprint?.kgCO2e ?? 0) * 1e6));
}
assert.equal(ids.length, 21);

await data(api.POST("/events/{eventId}/{type}/submit", { params: { path }, body: { ids } }));
await data(api.POST("/events/{eventId}/review/approve", { params: { path }, body: { ids } }));
const result = await client.waitForResult(event._id);
assert.equal(BigInt(Math.round(result.total.kgCO2e * 1e6)), expected, "the total is the sum of the previews");
await assert.rejects(data(api.GET("/events/{eventId}", { params: { path: { eventId: "unknown" } } })), { code: "EVENT_NOT_FOUND" });
await client.logout();
console.log(`${result.total.kgCO2e.toFixed(6)} kg CO2e`);
