import createClient from "openapi-fetch";
import type { paths } from "./generated/schema";
import { account, host } from "./account";

async function main() {
  const api = createClient<paths>({ baseUrl: host + "/api/v2" });
  const session = await api.POST("/auth/login", { body: account });
  if (!session.data) throw new Error(JSON.stringify(session.error));
  const headers = { Authorization: `Bearer ${session.data.data.accessToken}` };
  const event = await api.POST("/events", { body: { title: "openapi-fetch", country: "GB" }, headers });
  if (!event.data) throw new Error(JSON.stringify(event.error));
  const flight = await api.POST("/events/{eventId}/{type}", {
    params: { path: { eventId: event.data.data._id, type: "flights" } },
    body: { from: "LHR", to: "JFK", passengers: 2 },
    headers,
  });
  if (!flight.data) throw new Error(JSON.stringify(flight.error));
  const record = flight.data.data;
  // Required fields need no check.
  const revision: number = record.revision + record.createdAt.length;
  console.log(revision > 0 && record.status);
}
void main();
