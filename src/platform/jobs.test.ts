import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { openPool } from "#platform/database.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";
import { makeFolder } from "#platform/embedded-postgres/test-server.ts";
import { addJob, migrateJobs, startJobs } from "#platform/jobs.ts";

test("background work goes on after PostgreSQL was gone when a job ended, and that job is done again", async (t) => {
  const dataDir = await makeFolder(t);
  let server = await startEmbeddedPostgres({ dataDir });
  t.after(() => server.stop());
  await migrateJobs(server.url);
  const pool = openPool(server.url, { connections: 2 });
  t.after(() => pool.end({ timeout: 1 }));
  const tries: number[] = [];
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const again = Promise.withResolvers<void>();
  const later = Promise.withResolvers<void>();
  const runner = await startJobs({
    url: server.url,
    tasks: {
      held: async (_payload, { attempt }) => {
        tries.push(attempt);
        begun.resolve();
        if (tries.length > 1) return again.resolve();
        await held.promise;
      },
      later: async () => later.resolve(),
    },
    recurring: [],
    concurrency: 2,
    log: pino({ level: "silent" }),
  });
  t.after(() => runner.stop());
  await addJob(pool, "held", {});
  await begun.promise;
  await server.stop();
  held.resolve();
  // Long enough for the runner to find out that it cannot say so.
  while (runner.isRunning()) await delay(20);
  server = await startEmbeddedPostgres({ dataDir });
  while (!runner.isRunning()) await delay(20);
  await addJob(pool, "later", {});
  await later.promise;
  await pool`update graphile_worker._private_jobs set locked_at = now() - interval '1 minute' where locked_at is not null`;
  await again.promise;
  assert.deepEqual(tries, [1, 2]);
});
