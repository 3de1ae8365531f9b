import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { beginUpload, headOf, holdJson, openSocket, trickle } from "#test/attack/slow.ts";

const app = await startTestApp({ settings: { IDLE_SECONDS: "2", MAX_CONNECTIONS: "600" } });
const timeout = 60_000;
const receive = "/wx/wxc/receive";
const json = { "content-type": "application/json", "content-length": 100_000 };

const slowly: Readonly<Record<string, string>> = {
  "a head": "GET /livez HTTP/1.1\r\nhost: x\r\nx-slow: ",
  "a JSON body": headOf("POST", receive, json),
  "a form": headOf("POST", "/platform/login", { ...json, "content-type": "application/x-www-form-urlencoded" }),
  "a body in chunks": headOf("POST", receive, { "content-type": "application/json", "transfer-encoding": "chunked" }),
  "an upload": beginUpload("/reporting/file/fileUpDown"),
  "a body behind its refusal": headOf("POST", "/platform/operator/save", json),
  "a body that nobody wants": headOf("POST", "/nowhere", json),
};

async function sendByTheDrop(name: string, begun: string): Promise<void> {
  const answer = await trickle(await openSocket(app.url, begun), name === "a body in chunks" ? "1\r\na\r\n" : "a");
  const refused = name.includes("refusal") || name.includes("nobody");
  assert.match(answer, refused ? /^HTTP\/1\.1 40[14] / : /^HTTP\/1\.1 408 /, name);
}

async function sendSlowlyButWhole(): Promise<void> {
  const body = Buffer.alloc(300_000, "x");
  const { socket, ended } = await openSocket(
    app.url,
    headOf("POST", receive, { ...json, "content-length": body.length, connection: "close" }),
  );
  for (let at = 0; at < body.length; at += 30_000) {
    socket.write(body.subarray(at, at + 30_000));
    await new Promise((resolve) => void setTimeout(resolve, 500));
  }
  assert.match(await ended, /^HTTP\/1\.1 400 /);
}

test("who sends by the drop is cut off, who moves is not, and nothing of a file is left", { timeout }, async () => {
  const slow = Object.entries(slowly).map(([name, begun]) => sendByTheDrop(name, begun));
  await Promise.all([sendSlowlyButWhole(), ...slow]);
  assert.deepEqual(await readdir(path.join(app.dataDir, "files", "arriving")), []);
});

test("bodies that are held back take a bounded room, and small ones are taken meanwhile", { timeout }, async () => {
  const readBytes = () => process.memoryUsage().external;
  const before = readBytes();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, readBytes())), 20);
  const held = holdJson(receive);
  const clients = await Promise.all(Array.from({ length: 400 }, () => openSocket(app.url, held)));
  const push = () => app.call("POST", receive, { body: { app_key: "a" } });
  for (const { status } of await Promise.all(Array.from({ length: 20 }, push))) assert.equal(status, 400);
  const told = await Promise.all(clients.map(({ ended }) => ended));
  clearInterval(timer);
  const statuses = new Set(told.map((text) => text.slice(9, 12)));
  assert.deepEqual([...statuses].toSorted(), ["408", "429"]);
  const mostMb = (most - before) / 1024 ** 2;
  assert.ok(mostMb < 220, `${mostMb.toFixed(0)} MB`);
});

test("a head that is too long is told so in the envelope", async () => {
  const { ended } = await openSocket(app.url, headOf("GET", "/livez", { "x-long": "a".repeat(300_000) }));
  const [head = "", body = ""] = (await ended).split("\r\n\r\n");
  assert.match(head, /^HTTP\/1\.1 431 /);
  assert.equal((JSON.parse(body) as { code: string }).code, "10026");
});

test("a stop does not wait for a client that has sent half a request", async () => {
  const other = await startTestApp({ beside: app });
  await openSocket(other.url, `${headOf("POST", receive, { ...json, "content-length": 100 })}{`);
  // An answer on another connection shows that the server has already received the bytes of this connection.
  assert.equal((await other.call("GET", "/livez")).status, 200);
  const started = performance.now();
  await other.server.stop();
  assert.ok(performance.now() - started < 9000, "within the time that a stop is given");
});
