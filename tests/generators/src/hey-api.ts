import { createEvent, createRecord, jwks, login } from "./generated/hey";
import { client } from "./generated/hey/client.gen";
import { account, host } from "./account";

async function main() {
  // The document names the host, so nothing is configured.
  if (client.getConfig().baseUrl !== host + "/api/v2") throw new Error(`baseUrl ${client.getConfig().baseUrl}`);
  const session = await login({ body: account, throwOnError: true });
  client.setConfig({ auth: session.data.data.accessToken });
  const event = await createEvent({ body: { title: "hey-api", country: "GB" }, throwOnError: true });
  const flight = await createRecord({
    path: { eventId: event.data.data._id, type: "flights" },
    body: { from: "LHR", to: "JFK", passengers: 2 },
    throwOnError: true,
  });
  // This generator supports one server only; the keys are at the root of the host.
  const keys = await jwks({ baseUrl: host, throwOnError: true });
  console.log(keys.data.keys.length > 0 && flight.data.data.status);
}
void main();
