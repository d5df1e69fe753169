// Creates an event and reads its footprint with a client generated from the OpenAPI
// document. ECF_URL is the address of the server; ECF_EMAIL and ECF_PASSWORD are the
// login of a manager.
import { randomUUID } from "node:crypto";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.d.ts";

type Schemas = components["schemas"];

const url = process.env["ECF_URL"] ?? "http://127.0.0.1:8080";
const email = process.env["ECF_EMAIL"] ?? "";
const password = process.env["ECF_PASSWORD"] ?? "";

const api = createClient<paths>({ baseUrl: `${url}/api/v2` });

/** The data of an answer. A refusal is an error that names every fault. */
function data<T>(answer: { data?: { data: T }; error?: Schemas["ErrorResponse"]; response: Response }): T {
  if (answer.data === undefined) {
    const e = answer.error?.error;
    const faults = (e?.details ?? []).map((d) => `${d.field ?? ""} ${d.message}`).join(" ");
    throw new Error(`${answer.response.status} ${e?.code}: ${e?.message} ${faults} (request ${e?.requestId})`);
  }
  return answer.data.data;
}

// With the same key for all attempts, a POST is safe to repeat.
const once = () => ({ header: { "Idempotency-Key": randomUUID() } });

const tokens = data(await api.POST("/auth/login", { body: { email, password } }));
api.use({
  onRequest({ request }) {
    request.headers.set("Authorization", `Bearer ${tokens.accessToken}`);
    return request;
  },
});

const event = data(
  await api.POST("/events", { params: once(), body: { title: "Team meeting", country: "GB", attendees: 12 } }),
);

const flight: Schemas["FlightInput"] = { from: "LHR", to: "JFK", class: "economy", passengers: 2, roundTrip: true };
const path = { eventId: event._id, type: "flights" };
const record = data(await api.POST("/events/{eventId}/{type}", { params: { path, ...once() }, body: flight }));

const move = { params: { path: { ...path, recordId: record._id }, ...once() } };
data(await api.POST("/events/{eventId}/{type}/{recordId}/submit", move));
data(await api.POST("/events/{eventId}/{type}/{recordId}/approve", move));

/** Waits until the result counts everything that was approved. */
async function currentResult(eventId: string): Promise<Schemas["Result"]> {
  for (let look = 0; look < 100; look++) {
    const answer = await api.GET("/events/{eventId}/results", { params: { path: { eventId } } });
    if (answer.error?.error.code !== "RESULT_NOT_FOUND") {
      const result = data(answer);
      if (result.status === "current") return result;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("the result does not become current");
}

const result = await currentResult(event._id);
console.log(`${result.total.kgCO2e.toFixed(6)} kg CO2e`);
