import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openPool, type Row } from "#platform/database/index.ts";
import { readRunningUrl } from "#platform/embedded-postgres/index.ts";
import { headOf, openSocket } from "#test/attack/slow.ts";
import { atLength } from "#test/at-length.ts";
import { type CallOptions, send } from "#test/call.ts";
import { readPostmasterId } from "#test/embedded-postgres/server.ts";
import { sampleReport } from "#test/sample-report.ts";
import { until } from "#test/until.ts";
import type { Book } from "./load.ts";
import { createRandom, seed } from "./random.ts";
import { playRound } from "./rounds.ts";
import {
  isReady,
  killPostgres,
  listProcessesOf,
  logIn,
  makeServerFolder,
  operatorPassword,
  startCommand,
  startServerProcess,
} from "./server.ts";

// The tests share one folder and server, so they run in sequence.

const rounds = atLength.skip === false ? 3 : 1;
const connections = 130;
const backMs = 15_000;
const dataDir = await makeServerFolder();
const start = () => startServerProcess(dataDir, { DATABASE_POOL: String(connections) });
let server = await start();

async function query(text: string): Promise<Row[]> {
  const pool = openPool(await readRunningUrl(dataDir), { connections: 1 });
  try {
    return await pool.script(text);
  } finally {
    await pool.end({ timeoutMs: 1000 });
  }
}

test("kill -9 in the middle of writes loses nothing that was acknowledged and leaves nothing by halves", async (t) => {
  t.diagnostic(`SEED=${seed}`);
  const book: Book = new Map();
  const random = createRandom(seed);
  for (let round = 1; round <= rounds; round++)
    server = await playRound({ server, start, book, random, say: (line) => t.diagnostic(line) });
  assert.ok(book.size >= 20, "hardly anything was written");
});

test("PostgreSQL takes as many connections as the pool may open, and a command line beside it", async () => {
  const [row] = await query(
    "select current_setting('max_connections')::int as most, usesuper from pg_user where usename = current_user",
  );
  assert.ok(row?.["most"] >= 2 * connections + 20, String(row?.["most"]));
  assert.equal(row?.["usesuper"], false);
});

const ask = async (method: string, target: string, options: CallOptions = {}) => {
  const answer = await send(server.address, method, target, { ...options, signal: AbortSignal.timeout(12_000) });
  return { ...answer, said: `${answer.status} ${answer.json?.code}` };
};
const submit = (name: string) =>
  ask("POST", "/reporting/informationReporting/add", {
    headers: { "idempotency-key": name },
    body: sampleReport({ name }),
  });

async function assertOnlyUnavailable(token: string, first: Promise<unknown>): Promise<void> {
  const seen: Awaited<ReturnType<typeof ask>>[] = [];
  const over = new AbortController();
  const requests = [
    () => ask("GET", "/platform/session/own", { token }),
    () => ask("GET", "/disease-command/overview"),
    () => submit(`meanwhile ${seen.length}`),
    () => ask("POST", "/platform/login", { body: { userName: "operator", password: operatorPassword } }),
  ];
  const callers = requests.map(async (request) => {
    for (; !over.signal.aborted; await delay(10)) seen.push(await request());
  });
  await first;
  await until("the server is ready again", () => isReady(server.address), { withinMs: backMs });
  over.abort();
  await Promise.all(callers);
  const failures = seen.filter(({ status }) => status !== 200);
  assert.deepEqual([...new Set(failures.map(({ said }) => said))], ["503 10000"]);
  for (const { headers } of failures) assert.ok(Number(headers.get("retry-after")) >= 1);
  assert.ok(failures.length < seen.length);
}

test("when PostgreSQL is killed it is started again, and the server goes on with all that it had", async () => {
  const token = await logIn(server.address);
  assert.equal((await submit("before")).said, "200 0");
  await assertOnlyUnavailable(token, killPostgres(dataDir));
  assert.equal((await ask("GET", "/livez")).status, 200);
  assert.equal((await submit("before")).said, "200 0");
  const reports = await query("select from reporting.report where name = 'before'");
  assert.equal(reports.length, 1);
});

test("when one of its processes is killed, the same PostgreSQL recovers, and background work goes on", async () => {
  const token = await logIn(server.address);
  const postmaster = await readPostmasterId(dataDir);
  const [victim] = await query("select pid from pg_stat_activity where application_name = 'quintet' limit 1");
  process.kill(Number(victim?.["pid"]), "SIGKILL");
  await assertOnlyUnavailable(
    token,
    until("not ready", async () => !(await isReady(server.address)), { everyMs: 5 }),
  );
  assert.equal(await readPostmasterId(dataDir), postmaster);
  await query("select graphile_worker.add_job('platform-housekeeping')");
  const jobs = "select from graphile_worker.jobs where task_identifier = 'platform-housekeeping'";
  await until("the job is done", async () => (await query(jobs)).length === 0, { withinMs: backMs });
  const { json } = await ask("GET", "/platform/health", { token });
  const parts: { name: string; state: string }[] = json.data.parts;
  const states = Object.fromEntries(parts.map(({ name, state }) => [name, state]));
  assert.deepEqual([states["database"], states["jobs"], states["relay"]], ["ok", "ok", "ok"]);
});

test("who comes while the process is busy is kept waiting by the system, and answered", async () => {
  server.child.kill("SIGSTOP");
  const request = "GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
  const crowd = await Promise.all(Array.from({ length: 1000 }, () => openSocket(server.address, request)));
  server.child.kill("SIGCONT");
  const answers = await Promise.all(crowd.map(({ ended }) => ended));
  assert.equal(answers.filter((answer) => answer.startsWith("HTTP/1.1 200")).length, crowd.length);
});

test("the start says that the database is the embedded one, and for whom that is", () => {
  assert.match(
    server.output().out,
    /^ {2}database +embedded PostgreSQL 18 \(for trials and small installations\) in /m,
  );
});

test("a second server on the same folder is refused with one clear line, and the first goes on", async () => {
  const second = startCommand(["serve"], { PORT: "0", DATA_DIR: dataDir });
  assert.deepEqual(await second.ended, { code: 1, signal: null });
  assert.match(
    second.output().err,
    /^Another Quintet server is using [^\n]+: stop it first, or set DATA_DIR to another directory\n$/,
  );
  assert.ok(await isReady(server.address));
});

test("SIGTERM finishes the request that is running, then ends with 0 and leaves no process", async () => {
  const body = JSON.stringify(sampleReport({ name: "slow" }));
  const json = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const more = { ...json, expect: "100-continue", connection: "close" };
  const upload = await openSocket(server.address, headOf("POST", "/reporting/informationReporting/add", more));
  await until("the server waits for the body", () => upload.told().startsWith("HTTP/1.1 100 Continue\r\n\r\n"));
  upload.socket.write(body.slice(0, 10));
  const startedMs = performance.now();
  server.child.kill("SIGTERM");
  const closing = { headers: { connection: "close" } };
  const isRefused = () =>
    send(server.address, "GET", "/livez", closing).then(
      () => false,
      () => true,
    );
  await until("connections are refused", isRefused, { everyMs: 0 });
  upload.socket.write(body.slice(10));
  assert.match(await upload.ended, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 [^]*"success":true/);
  assert.deepEqual(await server.ended, { code: 0, signal: null }, server.output().err);
  assert.ok(performance.now() - startedMs < 10_000);
  assert.deepEqual([await listProcessesOf(dataDir), server.output().err], [[], ""]);
});
