import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openPool, type Row } from "#platform/database/index.ts";
import { sampleReport } from "#test/sample-report.ts";
import {
  awaitNoProcessOf,
  operatorPassword,
  readPostmaster,
  type RunningServer,
  startServerProcess,
} from "./server.ts";
import { until } from "#test/until.ts";

// PostgreSQL is killed under a server that goes on: it answers 503 meanwhile, and has everything afterwards.

const dataDir = await mkdtemp(path.join(tmpdir(), "quintet-crash-"));
const connections = 130;
const server = await startServerProcess(dataDir, { DATABASE_POOL: String(connections) });
after(async () => {
  await server.kill();
  await awaitNoProcessOf(dataDir, 10_000);
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

const backMs = 15_000;
const answerMs = 12_000;

interface Seen {
  readonly status: number;
  readonly code: string;
  readonly retryAfter: string | null;
  readonly tookMs: number;
}

async function ask({ address }: RunningServer, target: string, init: RequestInit = {}): Promise<Seen> {
  const startedMs = performance.now();
  const response = await fetch(address + target, { ...init, signal: AbortSignal.timeout(answerMs) });
  const text = await response.text();
  const { code = "" } = text.startsWith("{") ? (JSON.parse(text) as { code?: string }) : {};
  const retryAfter = response.headers.get("retry-after");
  return { status: response.status, code, retryAfter, tookMs: performance.now() - startedMs };
}

const submit = (name: string) =>
  ask(server, "/reporting/informationReporting/add", {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": name },
    body: JSON.stringify(sampleReport({ name })),
  });

/** Asks without pause, one operation after the other, until the server is ready again; all that was answered. */
async function askUntilReady(first: Promise<unknown>): Promise<Seen[]> {
  const seen: Seen[] = [];
  const endMs = performance.now() + backMs;
  const over = new AbortController();
  const requests = [
    () => ask(server, "/platform/session/own", { headers: { admin_token: token } }),
    () => ask(server, "/disease-command/overview"),
    () => submit(`meanwhile ${seen.length}`),
    () =>
      ask(server, "/platform/login", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ userName: "operator", password: operatorPassword }),
      }),
  ];
  const callers = requests.map(async (request) => {
    while (!over.signal.aborted) seen.push(await request());
  });
  await first;
  while ((await ask(server, "/readyz")).status !== 200) {
    assert.ok(performance.now() < endMs, "it is not ready again");
    await delay(20);
  }
  over.abort();
  await Promise.all(callers);
  return seen;
}

function assertOnlyUnavailable(seen: readonly Seen[]): void {
  const failures = seen.filter(({ status }) => status !== 200);
  assert.ok(failures.length > 0, "nobody noticed");
  assert.deepEqual([...new Set(failures.map(({ status, code }) => `${status} ${code}`))], ["503 10000"]);
  for (const { retryAfter } of failures) assert.ok(Number(retryAfter) >= 1);
  assert.ok(seen.some(({ status }) => status === 200));
}

let token = "";
{
  const response = await fetch(`${server.address}/platform/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ userName: "operator", password: operatorPassword }),
  });
  ({ token } = ((await response.json()) as { data: { token: string } }).data);
}

test("it takes as many connections as the pool may open, and a command line beside it", async () => {
  const [row] = await query(
    "select current_setting('max_connections')::int as most, usesuper from pg_user where usename = current_user",
  );
  assert.ok(row?.["most"] >= 2 * connections + 20, String(row?.["most"]));
  assert.equal(row?.["usesuper"], false);
});

describe("when PostgreSQL is killed", () => {
  test("it is started again, each time, and the server goes on with all that it had", async (t) => {
    for (const name of ["first", "second"]) {
      assert.equal((await submit(name)).status, 200);
      const killed = await readPostmaster(dataDir);
      const startedMs = performance.now();
      process.kill(killed, "SIGKILL");
      // A session that outlives its postmaster by a moment may still say that all is well.
      const startedAgain = (async () => {
        await until("another postmaster", async () => (await readPostmaster(dataDir).catch(() => killed)) !== killed);
      })();
      const seen = await askUntilReady(startedAgain);
      t.diagnostic(`back after ${Math.round(performance.now() - startedMs)} ms, ${seen.length} answers`);
      assertOnlyUnavailable(seen);
      t.diagnostic(`slowest ${Math.round(Math.max(...seen.map(({ tookMs }) => tookMs)))} ms`);
      assert.equal((await ask(server, "/livez")).status, 200);
      // What was acknowledged before is there: the same key gives the same report.
      const again = await submit(name);
      assert.deepEqual([again.status, again.code], [200, "0"]);
    }
    const [row] = await query(
      "select count(*)::int as reports from reporting.report where name in ('first', 'second')",
    );
    assert.equal(row?.["reports"], 2);
  });

  test("of its processes one, what it answers while it recovers is 503 too", async () => {
    const postmaster = await readPostmaster(dataDir);
    const [victim] = await query("select pid from pg_stat_activity where application_name = 'quintet' limit 1");
    const seen = await askUntilReady(
      (async () => {
        process.kill(Number(victim?.["pid"]), "SIGKILL");
        await until("not ready", async () => (await ask(server, "/readyz")).status !== 200, { everyMs: 5 });
      })(),
    );
    assertOnlyUnavailable(seen);
    assert.equal(await readPostmaster(dataDir), postmaster);
  });

  test("background work goes on afterwards", async () => {
    await query("select graphile_worker.add_job('platform-housekeeping')");
    const count =
      "select count(*)::int as jobs from graphile_worker.jobs where task_identifier = 'platform-housekeeping'";
    const endMs = performance.now() + backMs;
    while ((await query(count))[0]?.["jobs"] > 0) assert.ok(performance.now() < endMs, "the job is not done");
    const health = await fetch(`${server.address}/platform/health`, { headers: { admin_token: token } });
    const { data } = (await health.json()) as { data: { parts: { name: string; state: string }[] } };
    const states = Object.fromEntries(data.parts.map(({ name, state }) => [name, state]));
    assert.deepEqual([states["database"], states["jobs"], states["relay"]], ["ok", "ok", "ok"]);
  });
});

async function query(text: string): Promise<Row[]> {
  const pool = openPool(await readFile(path.join(dataDir, "postgres", "url"), "utf8"), { connections: 1 });
  try {
    return await pool.script(text);
  } finally {
    await pool.end({ timeoutMs: 1000 });
  }
}
