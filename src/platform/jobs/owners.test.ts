import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import * as z from "zod";
import { watchJobOwners } from "#platform/jobs/owners.ts";
import { addJob, type JobRun, startJobs, typedTask } from "#platform/jobs/runner.ts";
import { createTestDatabase } from "#test/database.ts";

const { pool, url, closers } = await createTestDatabase();
const endless = fileURLToPath(import.meta.resolve("#test/endless-job.ts"));

// The jobs' locks must look old, because recent locks are left alone: a runner that has just started may not have its
// own lock yet.
const makeOld = () => pool`update graphile_worker._private_jobs set locked_at = now() - interval '1 minute'`;

test("the jobs of a killed process are taken up by another, those of a living one are not", async () => {
  await addJob(pool, "endless", {});
  const other = spawn(process.execPath, [endless, url], { stdio: ["ignore", "pipe", "inherit"] });
  after(() => other.kill("SIGKILL"));
  await once(other.stdout, "data");
  await makeOld();
  await addJob(pool, "forsaken", {});
  await pool`
    update graphile_worker._private_jobs set locked_at = now() - interval '1 minute', locked_by = 'somebody long dead', attempts = 1
    where locked_at is null`;

  const forsaken = Promise.withResolvers<JobRun>();
  const takenUp = Promise.withResolvers<JobRun>();
  const runner = await startJobs({
    url,
    tasks: {
      forsaken: typedTask(z.unknown(), async (_payload, run) => forsaken.resolve(run)),
      endless: typedTask(z.unknown(), async (_payload, run) => takenUp.resolve(run)),
    },
    recurring: [],
    concurrency: 2,
    log: pino({ level: "silent" }),
  });
  closers.push(() => runner.stop());
  assert.equal((await forsaken.promise).attempt, 2);
  const [living] = await pool`select attempts, locked_at from graphile_worker.jobs where task_identifier = 'endless'`;
  assert.equal(living?.["attempts"], 1);
  assert.ok(living["locked_at"] instanceof Date, "its process lives");

  other.kill("SIGKILL");
  assert.equal((await takenUp.promise).attempt, 2);
});

test("a process that loses the connection with its own lock keeps its jobs", async () => {
  const { pool: other, url, closers: ends } = await createTestDatabase();
  await addJob(other, "long", {});
  await other`
    update graphile_worker._private_jobs set locked_at = now() - interval '1 minute', locked_by = 'living', attempts = 1`;
  const log = pino({ level: "silent" });
  const living = watchJobOwners(url, "living", log);
  const listHolders = () => other<{ pid: number }[]>`
    select pid from pg_locks where locktype = 'advisory' and granted
      and (classid::bigint << 32) + objid::bigint = hashtextextended('owner of jobs living', 0)`;
  let holders = await listHolders();
  for (; holders.length === 0; holders = await listHolders()) await delay(20);
  const neighbour = watchJobOwners(url, "neighbour", log);
  ends.push(() => Promise.all([living.stop(), neighbour.stop()]));
  await other`select pg_terminate_backend(${holders[0]?.pid ?? 0})`;
  await delay(7000);
  assert.deepEqual(await other.values<string>`select locked_by from graphile_worker.jobs`, ["living"]);
});
