import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import {
  awaitNoProcess,
  findShells,
  findProcesses,
  kill,
  makeFolder,
  query,
  readPostmasterId,
  startServer,
} from "#test/embedded-postgres/server.ts";

const dataDir = await makeFolder();

const fill = [
  "drop table if exists kept",
  "create table kept (id int)",
  "insert into kept select generate_series(1, 1000)",
];
const count = "select count(*)::int as rows from kept";
const whole = [{ rows: 1000 }];

test("after kill -9 of the server its database ends, and the next start has what was committed", async (context) => {
  const first = await startServer(context, dataDir);
  await query(first.url, ...fill);
  await kill(first.child);
  assert.ok((await awaitNoProcess(dataDir, 3000)) < 3000);

  const second = await startServer(context, dataDir);
  assert.deepEqual(await query(second.url, count), whole);
  await kill(second.child);
  const third = await startServer(context, dataDir);
  assert.deepEqual(await query(third.url, count), whole);
});

test("after kill -9 of the server and its supervisor the next start ends the database left", async (context) => {
  const first = await startServer(context, dataDir);
  await query(first.url, ...fill);
  const postmaster = await readPostmasterId(dataDir);
  // A server stopped by SIGSTOP cannot notice that its supervisor was killed, and cannot stop PostgreSQL itself.
  first.child.kill("SIGSTOP");
  for (const shell of await findShells(dataDir)) process.kill(shell, "SIGKILL");
  await kill(first.child);
  assert.ok((await findProcesses(dataDir)).includes(postmaster));
  const second = await startServer(context, dataDir);
  assert.equal(second.refusal, "");
  assert.deepEqual(await query(second.url, count), whole);
  assert.ok(!(await findProcesses(dataDir)).includes(postmaster));
});

test("after kill -9 of the postmaster a busy session does not hold up the next start", async (context) => {
  const first = await startServer(context, dataDir);
  await query(first.url, ...fill);
  const busy = assert.rejects(query(first.url, "select count(*) from generate_series(1, 1e12)"));
  const others = "select query from pg_stat_activity where state = 'active' and pid <> pg_backend_pid()";
  while ((await query(first.url, others)).length === 0);
  process.kill(await readPostmasterId(dataDir), "SIGKILL");
  await kill(first.child);
  const second = await startServer(context, dataDir);
  assert.equal(second.refusal, "");
  assert.deepEqual(await query(second.url, count), whole);
  await busy;
});

test("a stale postmaster.pid whose id another process has does not hold up the next start", async (context) => {
  const first = await startServer(context, dataDir);
  await query(first.url, ...fill);
  const file = path.join(dataDir, "postgres/cluster/postmaster.pid");
  const text = await readFile(file, "utf8");
  process.kill(await readPostmasterId(dataDir), "SIGKILL");
  await kill(first.child);
  await awaitNoProcess(dataDir, 15_000);
  await writeFile(file, text.replace(/^\d+/, `${process.pid}`));
  const second = await startServer(context, dataDir);
  assert.equal(second.refusal, "");
  assert.deepEqual(await query(second.url, count), whole);
});
