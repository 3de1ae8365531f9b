import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { openSocket } from "#test/attack/slow.ts";
import { sampleReport } from "#test/sample-report.ts";
import type { Book } from "./load.ts";
import { createRandom } from "./random.ts";
import { playRound } from "./rounds.ts";
import { awaitNoProcessOf, listProcessesOf, type RunningServer, startCommand, startServerProcess } from "./server.ts";
import { until } from "#test/until.ts";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const rounds = 2;

// One folder for all, since making a cluster takes longer than the rest; the tests run one after the other.
const dataDir = await mkdtemp(path.join(tmpdir(), "quintet-crash-"));
after(async () => {
  await awaitNoProcessOf(dataDir, 10_000);
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

test("kill -9 in the middle of writes loses nothing that was acknowledged and leaves nothing by halves", async (t) => {
  t.diagnostic(`SEED=${seed}`);
  const book: Book = new Map();
  const random = createRandom(seed);
  for (let round = 1; round <= rounds; round++)
    await playRound({ dataDir, book, random, say: (line) => t.diagnostic(line) });
  assert.ok(book.size > 20, "hardly anything was written");
});

test("SIGTERM finishes the request that is running, then ends with 0 and leaves no process", async (t) => {
  const server = await startServerProcess(dataDir);
  t.after(() => server.child.kill("SIGKILL"));
  const upload = await startSlowSubmission(server);
  const startedMs = performance.now();
  server.child.kill("SIGTERM");
  await awaitRefusal(server);
  assert.match(await upload.finish(), /^HTTP\/1\.1 200 [^]*"success":true/);
  assert.deepEqual(await server.ended, { code: 0, signal: null }, server.output().err);
  const stopMs = Math.round(performance.now() - startedMs);
  assert.ok(stopMs < 10_000, `it took ${stopMs} ms`);
  assert.deepEqual(await listProcessesOf(dataDir), []);
  assert.equal(server.output().err, "");
  t.diagnostic(`stopped in ${stopMs} ms`);
});

test("who comes while the process is busy is kept waiting by the system, and answered", async (t) => {
  const server = await startServerProcess(dataDir);
  t.after(() => server.kill());
  server.child.kill("SIGSTOP");
  const request = "GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
  const startedMs = performance.now();
  const crowd = await Promise.all(Array.from({ length: 1000 }, () => openSocket(server.address, request)));
  // Whoever finds no room asks again after a second.
  const tookMs = Math.round(performance.now() - startedMs);
  server.child.kill("SIGCONT");
  const answers = await Promise.all(crowd.map(({ ended }) => ended));
  assert.equal(answers.filter((answer) => answer.startsWith("HTTP/1.1 200")).length, crowd.length);
  t.diagnostic(`connected after ${tookMs} ms`);
});

test("a second server on the same folder is refused with one clear line, and the first goes on", async (t) => {
  const first = await startServerProcess(dataDir);
  t.after(() => first.kill());
  const second = startCommand(["serve"], { PORT: "0", DATA_DIR: dataDir });
  assert.deepEqual(await second.ended, { code: 1, signal: null });
  assert.match(
    second.output().err,
    /^Another Quintet server is using [^\n]+: stop it first, or set DATA_DIR to another directory\n$/,
  );
  assert.equal((await fetch(`${first.address}/readyz`)).status, 200);
});

/** A submission of which the server has the head and waits for the body. */
async function startSlowSubmission({ address }: RunningServer): Promise<{ finish(): Promise<string> }> {
  const { hostname, port } = new URL(address);
  const body = JSON.stringify(sampleReport({ name: "slow" }));
  const socket = connect({ host: hostname, port: Number(port) });
  let answer = "";
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const taken = new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.on("data", (chunk) => {
      answer += chunk.toString();
      if (answer.startsWith("HTTP/1.1 100 Continue\r\n\r\n")) resolve();
    });
  });
  socket.write(
    `POST /reporting/informationReporting/add HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nexpect: 100-continue\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`,
  );
  await taken;
  socket.write(body.slice(0, 10));
  const finish = async () => {
    socket.write(body.slice(10));
    await closed;
    return answer.slice("HTTP/1.1 100 Continue\r\n\r\n".length);
  };
  return { finish };
}

/** Waits until the server takes no new connection. */
async function awaitRefusal({ address }: RunningServer): Promise<void> {
  const isRefused = () =>
    fetch(`${address}/livez`, { headers: { connection: "close" } }).then(
      () => false,
      () => true,
    );
  await until("connections are refused", isRefused, { everyMs: 0 });
}
