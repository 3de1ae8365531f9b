import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { inTransaction, openCopyIn, openPool, type Pool, sql, streamRows } from "#platform/database/index.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";
import { findPostgres, makeFolder } from "#platform/embedded-postgres/test-server.ts";
import { createTestDatabase, listenTo } from "#test/database.ts";
import { type Front, startFront } from "#test/front.ts";

const { url, pool: helper } = await createTestDatabase();
await helper`create table thing (name text)`;

const patienceMs = 200;
/** For those who must not be cut off: a busy machine takes its time to answer. */
const lenientMs = 600;
const silent = { code: "CONNECTION_SILENT" };

async function openQuietly(context: TestContext, patience = patienceMs): Promise<{ front: Front; pool: Pool }> {
  const front = await startFront(url);
  const pool = openPool(front.url, { connections: 8, patienceMs: patience });
  context.after(() => pool.end({ timeoutMs: 0 }));
  context.after(() => front.stop());
  return { front, pool };
}

const read = async (pool: Pool) => (await pool`select ${2}::int as two`)[0]?.["two"];

test("whoever waits for a server that has fallen silent is told, and who comes when it speaks again is served", async (context) => {
  const { front, pool } = await openQuietly(context);
  assert.equal(await read(pool), 2);
  const begun = Promise.withResolvers<void>();
  const rows = sql`select repeat('x', 1000) as x from generate_series(1, 100000)`;
  const waiting = [
    pool`select pg_sleep(60)`,
    inTransaction(pool, async (tx) => {
      await tx`select 1`;
      await begun.promise;
      await tx`select 2`;
    }),
    inTransaction(pool, async (tx) => {
      const copy = await openCopyIn(tx, "thing");
      await begun.promise;
      await copy.finish();
    }),
    inTransaction(pool, async (tx) => {
      const copy = await openCopyIn(tx, "thing");
      await begun.promise;
      for (;;) await copy.write("x".repeat(100_000));
    }),
    (async () => {
      for await (const batch of streamRows(pool, rows, 10)) if (batch.length > 0) await begun.promise;
    })(),
  ].map((one) => assert.rejects(one, silent));
  await delay(patienceMs);
  front.hush("all");
  begun.resolve();
  await Promise.all(waiting);
  front.open();
  assert.equal(await read(pool), 2);
  assert.equal((await helper`select from thing`).length, 0);
});

test("when one connection alone is lost on the way, the others go on", async (context) => {
  const { front, pool } = await openQuietly(context, lenientMs);
  const lost = await pool.reserve();
  await lost`select 1`;
  front.hush("inside");
  const other = pool`select pg_backend_pid() as pid, pg_sleep(${(4 * lenientMs) / 1000})`;
  await assert.rejects(lost`select 1`, silent);
  lost.release();
  assert.equal((await other).length, 1);
});

test("whoever takes long, or leaves a connection alone, is not cut off", async (context) => {
  const { pool } = await openQuietly(context, lenientMs);
  const longMs = 3 * lenientMs;
  const rows = sql`select repeat('x', 1000) as x from generate_series(1, 1000)`;
  const [, , seen] = await Promise.all([
    pool`select pg_sleep(${longMs / 1000})`,
    inTransaction(pool, async (tx) => {
      const copy = await openCopyIn(tx, "thing");
      await delay(longMs);
      await copy.write("kept\n");
      await delay(longMs);
      await copy.finish();
    }),
    (async () => {
      let count = 0;
      for await (const batch of streamRows(pool, rows, 400)) {
        count += batch.length;
        await delay(longMs / 2);
      }
      return count;
    })(),
    inTransaction(pool, async (tx) => {
      await tx`select 1`;
      await delay(longMs);
      await tx`select 1`;
    }),
  ]);
  assert.equal(seen, 1000);
  assert.equal((await helper`select from thing where name = 'kept'`).length, 1);
});

test("whoever listens to a server that has fallen silent listens anew when it speaks again", async (context) => {
  const { front, pool } = await openQuietly(context);
  const { heard, begun } = await listenTo(pool, "news");
  await pool.listen("weather", (payload) => heard.push(payload));
  front.hush("inside");
  while (begun.length < 2) await new Promise(setImmediate);
  await helper`select pg_notify('news', 'one'), pg_notify('weather', 'rain')`;
  while (heard.length < 2) await new Promise(setImmediate);
  assert.deepEqual(heard, ["one", "rain"]);
});

test("an end is an end, though the server says nothing", async (context) => {
  const { front, pool } = await openQuietly(context);
  await read(pool);
  const working = assert.rejects(pool`select pg_sleep(60)`, { code: "CONNECTION_CLOSED" });
  await pool.listen("news", () => {});
  front.hush("all");
  await pool.end({ timeoutMs: 10 });
  await working;
  await assert.rejects(read(pool), { code: "CONNECTION_CLOSED" });
});

test("a PostgreSQL that stands still is noticed, and used again when it goes on", async (context) => {
  const dataDir = await makeFolder(context);
  const server = await startEmbeddedPostgres({ dataDir, fast: true });
  const pool = openPool(server.url, { connections: 2, patienceMs });
  context.after(async () => {
    await pool.end({ timeoutMs: 0 });
    await server.stop();
  });
  assert.equal(await read(pool), 2);
  const all = await findPostgres(dataDir);
  for (const id of all) process.kill(id, "SIGSTOP");
  await assert.rejects(read(pool), silent);
  for (const id of all) process.kill(id, "SIGCONT");
  assert.equal(await read(pool), 2);
});
