import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { openPool, type Pool } from "#platform/database/index.ts";
import { addJob } from "#platform/jobs/runner.ts";
import { judge } from "#platform/process/condition.ts";
import { isReady, type Part, readDatabase, readFiles, readJobs } from "#platform/process/health.ts";
import { conditions } from "#quintet/app.ts";
import { createTestDatabase } from "#test/database.ts";

const { pool } = await createTestDatabase();
const running = { isRunning: () => true };
const temporaryFiles = { hasSpace: async () => true };
const files = { kind: "disk", isReachable: async () => true } as const;
const wellParts = { database: true, migrations: true, newest: true, beside: true, jobs: true, room: true };

const check = async (part: Promise<Part>) => judge(await part, conditions);
const checkDatabase = (pool: Pool) => check(readDatabase(pool));
const checkJobs = (jobs: typeof running) => check(readJobs(pool, jobs));
const ask = (pool: Pool) => isReady({ pool, jobs: running, temporaryFiles, files });

async function openSilentPool() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const silent = openPool(`postgres://nobody@127.0.0.1:${port}/none`, { connections: 3 });
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
  assert.deepEqual(await ask(other.pool), { ready: false, parts: { ...wellParts, migrations: false } });
  await other.pool`insert into platform.migration select * from json_populate_record(null::platform.migration, ${JSON.stringify(removed)})`;
  assert.equal((await ask(other.pool)).ready, true);
});

test("a newer version beside which this one may run is told of; beside another it is not ready", async () => {
  const { pool: other } = await createTestDatabase();
  const askBoth = async () => {
    const [{ state, figures }, { ready, parts }] = await Promise.all([checkDatabase(other), ask(other)]);
    return [state, figures["newerMigrations"], ready, parts];
  };
  await other`insert into platform.migration (name, hash, beside) values ('8000_x.sql', '', '0006')`;
  assert.deepEqual(await askBoth(), ["degraded", 1, true, { ...wellParts, newest: false }]);
  await other`insert into platform.migration (name, hash, beside) values ('8001_y.sql', '', '8000')`;
  assert.deepEqual(await askBoth(), ["failed", 2, false, { ...wellParts, newest: false, beside: false }]);
});

test("a database that cannot be reached is failed, in words without its address", async () => {
  const away = openPool("postgres://nobody@127.0.0.1:1/none", { connections: 1 });
  const title = { zh: "数据库", en: "Database" };
  const failed = {
    service: "platform",
    name: "database",
    title,
    state: "failed",
    figures: { reason: "not reachable" },
  };
  assert.deepEqual(await checkDatabase(away), failed);
  assert.equal((await ask(away)).ready, false);
  await away.end();
});

test("a silent database is told after two seconds, and many who ask at once take one connection", async () => {
  const { silent, sockets } = await openSilentPool();
  const startMs = performance.now();
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask(silent)));
  const tookMs = performance.now() - startMs;
  assert.ok(tookMs > 1900 && tookMs < 3500, `${tookMs} ms`);
  assert.ok(answers.every(({ ready, parts }) => !ready && !parts.database));
  assert.equal(sockets.length, 1);
  assert.deepEqual((await checkDatabase(silent)).figures, { reason: "no response in time" });
});

test("a disk that does not answer does not hold up readiness", { timeout: 10_000 }, async () => {
  const silentDisk = { hasSpace: () => new Promise<boolean>(() => {}) };
  const { ready, parts } = await isReady({ pool, jobs: running, temporaryFiles: silentDisk, files });
  assert.deepEqual([ready, parts.room], [true, false]);
});

test("jobs are counted by what is to become of them", async () => {
  assert.deepEqual(await checkJobs(running), {
    service: "platform",
    name: "jobs",
    title: { zh: "后台任务", en: "Jobs" },
    state: "ok",
    figures: { running: true, working: 0, waiting: 0, scheduled: 0, failed: 0, oldestWaitingSeconds: 0 },
  });
  await addJob(pool, "later", {}, { runAt: new Date(Date.now() + 3_600_000) });
  await addJob(pool, "due", {}, { runAt: new Date(Date.now() - 60_000) });
  const waiting = await checkJobs(running);
  assert.deepEqual([waiting.state, waiting.figures["waiting"], waiting.figures["scheduled"]], ["ok", 1, 1]);
  assert.ok(Number(waiting.figures["oldestWaitingSeconds"]) >= 60);
  await addJob(pool, "old", {}, { runAt: new Date(Date.now() - 400_000) });
  assert.equal((await checkJobs(running)).state, "degraded");
  assert.equal((await checkJobs({ isRunning: () => false })).state, "failed");
});

test("files are measured against quota and disk", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-test-"));
  after(() => rm(folder, { recursive: true, force: true }));
  await pool`insert into platform.upload_usage (service, bytes) values ('reporting', 900), ('disease-command', 50)`;
  const limits = { quotaBytes: 10_000, serviceQuotaBytes: 5000, reserveBytes: 1 };
  const checkFiles = (change: Partial<Parameters<typeof readFiles>[1]> = {}) =>
    check(readFiles(pool, { folder, limits, files, ...change }));
  const { state, figures } = await checkFiles();
  assert.deepEqual(
    [state, figures["usedBytes"], figures["usedBytes reporting"], figures["quotaBytes"], figures["refusesUploads"]],
    ["ok", 950, 900, 10_000, false],
  );
  assert.ok(Number(figures["freeDiskBytes"]) > 0);
  const kept = await checkFiles({ limits: { ...limits, reserveBytes: Number.MAX_SAFE_INTEGER } });
  assert.deepEqual([kept.state, kept.figures["refusesUploads"]], ["failed", true]);
  const missing = await checkFiles({ folder: path.join(folder, "missing") });
  assert.deepEqual([missing.state, missing.figures], ["failed", { reason: "not reachable" }]);
  const away = await checkFiles({ files: { kind: "s3", isReachable: async () => false } });
  assert.deepEqual(
    [away.state, away.figures["inBucket"], away.figures["storeAnswers"], away.figures["refusesUploads"]],
    ["failed", true, false, true],
  );
});
