import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { openPool } from "#platform/database/index.ts";
import { addJob } from "#platform/jobs/runner.ts";
import { judge } from "#platform/process/condition.ts";
import { isReady, readDatabase, readFiles, readJobs } from "#platform/process/health.ts";
import { conditions } from "#quintet/app.ts";
import { createTestDatabase } from "#test/database.ts";

const { pool } = await createTestDatabase();
const running = { isRunning: () => true };
const stopped = { isRunning: () => false };
const arrivals = { hasRoom: async () => true };
const files = { kind: "disk", answers: async () => true } as const;
const wellParts = { database: true, migrations: true, newest: true, beside: true, jobs: true, room: true };

const checkDatabase = async (...given: Parameters<typeof readDatabase>) =>
  judge(await readDatabase(...given), conditions);
const checkJobs = async (...given: Parameters<typeof readJobs>) => judge(await readJobs(...given), conditions);
const checkFiles = async (...given: Parameters<typeof readFiles>) => judge(await readFiles(...given), conditions);

/** A database that takes connections and never answers. */
async function openSilentPool() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const silent = openPool(`postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/none`, {
    connections: 3,
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await silent.end({ timeoutMs: 0 });
  });
  return { silent, sockets };
}

test("a database that answers is ok, with its figures", async () => {
  const { name, state, figures } = await checkDatabase(pool);
  assert.deepEqual([name, state, figures["pendingMigrations"]], ["database", "ok", 0]);
  assert.match(String(figures["version"]), /^\d+/);
  assert.ok(Number(figures["roundTripMs"]) >= 0 && Number(figures["sizeBytes"]) > 0);
  assert.ok(Number(figures["connections"]) >= 1 && Number(figures["maxConnections"]) >= Number(figures["connections"]));
});

test("a database that lacks a migration is degraded, and the process not ready until it has it", async () => {
  const other = await createTestDatabase();
  const [removed] =
    await other.pool`delete from platform.migration where name = (select max(name) from platform.migration) returning *`;
  const { state, figures } = await checkDatabase(other.pool);
  assert.deepEqual([state, figures["pendingMigrations"]], ["degraded", 1]);
  assert.deepEqual(await isReady({ pool: other.pool, jobs: running, arrivals, files }), {
    ready: false,
    parts: { ...wellParts, migrations: false },
  });
  await other.pool`insert into platform.migration select * from json_populate_record(null::platform.migration, ${JSON.stringify(removed)})`;
  assert.equal((await isReady({ pool: other.pool, jobs: running, arrivals, files })).ready, true);
});

test("a newer version beside which this one may run is told of; beside another it is not ready", async () => {
  const { pool: other } = await createTestDatabase();
  const ask = async () => {
    const [{ state, figures }, readiness] = await Promise.all([
      checkDatabase(other),
      isReady({ pool: other, jobs: running, arrivals, files }),
    ]);
    return [state, figures["newerMigrations"], readiness.ready, readiness.parts];
  };
  await other`insert into platform.migration (name, hash, beside) values ('8000_x.sql', '', '0006')`;
  assert.deepEqual(await ask(), ["degraded", 1, true, { ...wellParts, newest: false }]);
  await other`insert into platform.migration (name, hash, beside) values ('8001_y.sql', '', '8000')`;
  assert.deepEqual(await ask(), ["failed", 2, false, { ...wellParts, newest: false, beside: false }]);
});

test("a database that cannot be reached is failed, in words without its address", async () => {
  const away = openPool("postgres://nobody@127.0.0.1:1/none", { connections: 1 });
  assert.deepEqual(await checkDatabase(away), {
    name: "database",
    title: { zh: "数据库", en: "Database" },
    state: "failed",
    figures: { reason: "not reachable" },
  });
  assert.equal((await isReady({ pool: away, jobs: running, arrivals, files })).ready, false);
  await away.end();
});

test("a silent database is told after two seconds, and many who ask at once take one connection", async () => {
  const { silent, sockets } = await openSilentPool();
  const startMs = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => isReady({ pool: silent, jobs: running, arrivals, files })),
  );
  const tookMs = performance.now() - startMs;
  assert.ok(tookMs > 1900 && tookMs < 3500, `${tookMs} ms`);
  assert.ok(answers.every(({ ready, parts }) => !ready && !parts.database));
  assert.equal(sockets.length, 1);
  assert.deepEqual((await checkDatabase(silent)).figures, { reason: "no answer in time" });
});

test("jobs are counted by what is to become of them", async () => {
  assert.deepEqual(await checkJobs(pool, running), {
    name: "jobs",
    title: { zh: "后台任务", en: "Jobs" },
    state: "ok",
    figures: { running: true, working: 0, waiting: 0, scheduled: 0, failed: 0, oldestWaitingSeconds: 0 },
  });
  await addJob(pool, "later", {}, { runAt: new Date(Date.now() + 3_600_000) });
  await addJob(pool, "due", {}, { runAt: new Date(Date.now() - 60_000) });
  const waiting = await checkJobs(pool, running);
  assert.deepEqual([waiting.state, waiting.figures["waiting"], waiting.figures["scheduled"]], ["ok", 1, 1]);
  assert.ok(Number(waiting.figures["oldestWaitingSeconds"]) >= 60);
  await addJob(pool, "old", {}, { runAt: new Date(Date.now() - 400_000) });
  assert.equal((await checkJobs(pool, running)).state, "degraded");
  assert.equal((await checkJobs(pool, stopped)).state, "failed");
});

test("files are measured against quota and disk", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-test-"));
  after(() => rm(folder, { recursive: true, force: true }));
  await pool`insert into platform.upload_usage (service, bytes) values ('reporting', 900), ('disease-command', 50)`;
  const limits = { quotaBytes: 10_000, serviceQuotaBytes: 5000, reserveBytes: 1 };
  const check = (change: Partial<typeof limits> = {}) =>
    checkFiles(pool, { folder, limits: { ...limits, ...change }, files });
  const { state, figures } = await check();
  assert.deepEqual(
    [state, figures["usedBytes"], figures["usedBytes reporting"], figures["quotaBytes"], figures["refusesUploads"]],
    ["ok", 950, 900, 10_000, false],
  );
  assert.ok(Number(figures["freeDiskBytes"]) > 0);
  const kept = await check({ reserveBytes: Number.MAX_SAFE_INTEGER });
  assert.deepEqual([kept.state, kept.figures["refusesUploads"]], ["failed", true]);
  const missing = await checkFiles(pool, { folder: path.join(folder, "missing"), limits, files });
  assert.deepEqual([missing.state, missing.figures], ["failed", { reason: "not reachable" }]);
  const gone = { kind: "s3", answers: async () => false } as const;
  const away = await checkFiles(pool, { folder, limits, files: gone });
  assert.deepEqual(
    [away.state, away.figures["inBucket"], away.figures["storeAnswers"], away.figures["refusesUploads"]],
    ["failed", true, false, true],
  );
});
