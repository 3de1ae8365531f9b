import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import * as z from "zod";
import { openPool } from "#platform/database/index.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";
import { makeFolder } from "#test/embedded-postgres/server.ts";
import { addJob, migrateJobs, startJobs, typedTask } from "#platform/jobs/runner.ts";
import { createTestDatabase } from "#test/database.ts";

test("background work goes on after PostgreSQL was gone when jobs ended one by one, and those are done again", async (t) => {
  const dataDir = await makeFolder(t);
  let server = await startEmbeddedPostgres({ dataDir, fast: true });
  t.after(() => server.stop());
  await migrateJobs(server.url);
  const pool = openPool(server.url, { connections: 2 });
  t.after(() => pool.end({ timeoutMs: 1000 }));
  const tries: number[] = [];
  const begun = Promise.withResolvers<void>();
  const held = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const again = Promise.withResolvers<void>();
  const later = Promise.withResolvers<void>();
  const runner = await startJobs({
    url: server.url,
    tasks: {
      held: typedTask(z.unknown(), async (_payload, { attempt }) => {
        const turn = held[tries.push(attempt) - 1]?.promise;
        if (tries.length === held.length) begun.resolve();
        if (tries.length === 2 * held.length) again.resolve();
        await turn;
      }),
      later: async () => later.resolve(),
    },
    recurring: [],
    concurrency: held.length,
    log: pino({ level: "silent" }),
  });
  t.after(() => runner.stop());
  for (const _ of held) await addJob(pool, "held", {});
  await begun.promise;
  await server.stop();
  for (const { resolve } of held) {
    resolve();
    // The runner needs this time to notice that it cannot record the job's end, and to take the next job.
    await delay(200);
  }
  while (runner.isRunning()) await delay(20);
  server = await startEmbeddedPostgres({ dataDir, fast: true });
  while (!runner.isRunning()) await delay(20);
  await addJob(pool, "later", {});
  await later.promise;
  await pool`update graphile_worker._private_jobs set locked_at = now() - interval '1 minute' where locked_at is not null`;
  await again.promise;
  assert.deepEqual(tries, [1, 1, 1, 1, 2, 2, 2, 2]);
});

test("a runner whose job has ended while PostgreSQL is away can be stopped", async (context) => {
  const server = await startEmbeddedPostgres({ dataDir: await makeFolder(context), fast: true });
  await migrateJobs(server.url);
  const pool = openPool(server.url, { connections: 1 });
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const hold = async () => {
    begun.resolve();
    await held.promise;
  };
  const log = pino({ level: "silent" });
  const runner = await startJobs({ url: server.url, tasks: { hold }, recurring: [], concurrency: 1, log });
  await addJob(pool, "hold", {});
  await begun.promise;
  await server.stop();
  held.resolve();
  await delay(1000);
  await runner.stop();
  await pool.end();
});

test("a job that carries something else than its task reads is not begun, and waits for one who knows it", async () => {
  const { pool, url, closers } = await createTestDatabase();
  const logged: Record<string, unknown>[] = [];
  const failed = Promise.withResolvers<void>();
  const write = (line: string) => {
    logged.push(JSON.parse(line) as Record<string, unknown>);
    failed.resolve();
  };
  const done: number[] = [];
  const right = Promise.withResolvers<void>();
  for (const payload of [{ id: "7; secret" }, { id: null }, { other: 7 }]) await addJob(pool, "checked", payload);
  const runner = await startJobs({
    url,
    tasks: {
      checked: typedTask(z.object({ id: z.int() }), async ({ id }) => {
        done.push(id);
        right.resolve();
      }),
    },
    recurring: [],
    concurrency: 1,
    log: pino({ level: "warn" }, { write }),
  });
  closers.push(() => runner.stop());
  await addJob(pool, "checked", { id: 8, more: "is passed over" });
  await right.promise;
  await failed.promise;
  assert.deepEqual(done, [8]);
  const told = async () => pool`
    select attempts, last_error from graphile_worker.jobs where locked_at is null and last_error is not null order by id`;
  while ((await told()).length < 3) await delay(20);
  assert.deepEqual(
    [...(await told())].map(({ last_error }) => last_error),
    Array<string>(3).fill("WrongPayload"),
  );
  assert.ok(!JSON.stringify(logged).includes("secret"));
});
