// What a client that uses jose does. It answers each line of its input, a
// question in JSON, with a line of output.
import { webcrypto } from "node:crypto";
import { createInterface } from "node:readline";

// Node 18 has it, and does not show it.
globalThis.crypto ??= webcrypto;
const { createRemoteJWKSet, jwtVerify, errors } = await import("jose");

const keySets = new Map();

// keySet gives the key set at an address. The one of a name is kept, as a server
// that verifies tokens keeps it; it may be fetched again as soon as a token
// names a key that it does not have.
function keySet(url, name) {
  if (!keySets.has(name)) {
    keySets.set(name, createRemoteJWKSet(new URL(url), { cooldownDuration: 0 }));
  }
  return keySets.get(name);
}

const questions = {
  async discover({ issuer }) {
    const response = await fetch(issuer + "/.well-known/openid-configuration");
    if (!response.ok || !response.headers.get("content-type").startsWith("application/json")) {
      throw new Error(`${response.status} ${response.headers.get("content-type")}`);
    }
    return response.json();
  },
  async verify({ token, url, set, now, ...options }) {
    if (now) {
      options.currentDate = new Date(now);
    }
    const { payload, protectedHeader } = await jwtVerify(token, keySet(url, set), options);
    return { payload, header: protectedHeader };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { ask, ...what } = JSON.parse(line);
  let answer;
  try {
    answer = await questions[ask](what);
  } catch (e) {
    answer = { refused: e instanceof errors.JOSEError ? e.code : String(e.cause ?? e) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
