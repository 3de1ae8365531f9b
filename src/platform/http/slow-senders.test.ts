import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { beginUpload, headOf, holdJson, openSocket, trickle } from "#test/attack/slow.ts";

const app = await startTestApp({ settings: { IDLE_SECONDS: "2", MAX_CONNECTIONS: "600" } });
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

test(
  "who sends by the drop is cut off, who moves is not, and nothing of a file is left",
  { timeout: 60_000 },
  async () => {
    const slow = Object.entries(slowly).map(([name, begun]) => sendByTheDrop(name, begun));
    await Promise.all([sendSlowlyButWhole(), ...slow]);
    assert.deepEqual(await readdir(path.join(app.dataDir, "files", "arriving")), []);
  },
);

/** The most memory outside of the heap, beyond what there was. */
function watchMemory(): () => number {
  const before = process.memoryUsage().external;
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().external)), 20);
  return () => {
    clearInterval(timer);
    return most - before;
  };
}

test(
  "bodies that are held back take a bounded room, and small ones are taken meanwhile",
  { timeout: 60_000 },
  async () => {
    const readMost = watchMemory();
    const held = holdJson(receive);
    const clients = await Promise.all(Array.from({ length: 400 }, () => openSocket(app.url, held)));
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => app.call("POST", receive, { body: { app_key: "a" } })),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [400]);
    const told = await Promise.all(clients.map(({ ended }) => ended));
    const statuses = Map.groupBy(told, (text) => text.slice(9, 12));
    assert.deepEqual([...statuses.keys()].toSorted(), ["408", "429"]);
    const mostMb = readMost() / 1024 ** 2;
    assert.ok(mostMb < 220, `${mostMb.toFixed(0)} MB`);
  },
);
