import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { text } from "node:stream/consumers";
import { startTestApp } from "#test/app.ts";

const app = await startTestApp({ services: ["reporting"] });

/** Sends bytes as they are and returns all that comes back until the server closes. */
async function sendRaw(bytes: string): Promise<string> {
  const { port, hostname } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(bytes);
  return text(socket);
}

const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));

test("a head that is too long is told so in the envelope", async () => {
  const answer = await sendRaw(`GET /livez HTTP/1.1\r\nhost: x\r\nx-long: ${"a".repeat(300_000)}\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 431 /);
  assert.equal((bodyOf(answer) as { code: string }).code, "10026");
});

test("a stop does not wait for a client that has sent half a request", async () => {
  const other = await startTestApp({ beside: app });
  const { port, hostname } = new URL(other.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.on("error", () => {});
  socket.write(
    "POST /reporting/informationReporting/add HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
  );
  // An answer on another connection shows that the server has taken this one's bytes.
  assert.equal((await other.call("GET", "/livez")).status, 200);
  const started = performance.now();
  await other.server.stop();
  assert.ok(performance.now() - started < 9000, "within the time that a stop is given");
});
