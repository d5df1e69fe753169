import axios from "axios";
import * as api from "./generated/orval";
import { account, host } from "./account";

async function main() {
  axios.defaults.baseURL = host + "/api/v2";
  const session = await api.login(account);
  axios.defaults.headers.common.Authorization = `Bearer ${session.data.data.accessToken}`;
  const event = await api.createEvent({ title: "orval", country: "GB" });
  const flight = await api.createRecord(event.data.data._id, "flights", { from: "LHR", to: "JFK", passengers: 2 });
  console.log(flight.data.data.status);
}
void main();
