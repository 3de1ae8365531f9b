import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Db,
  inTransaction,
  isConnectionLoss,
  openPool,
  type Pool,
  sql,
  streamRows,
} from "#platform/database/index.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";
import { makeFolder } from "#test/embedded-postgres/server.ts";
import { toProblem } from "#platform/http/failure.ts";
import { createTestDatabase, listenTo } from "#test/database.ts";
import { startFront } from "#test/front.ts";

const { pool: helper, url } = await createTestDatabase();

async function withPool(work: (pool: Pool) => Promise<void>): Promise<void> {
  const pool = openPool(url, { connections: 1 });
  try {
    await work(pool);
  } finally {
    await pool.end({ timeoutMs: 1000 });
  }
}

const findBackend = async (db: Db): Promise<number> => {
  const [row] = await db<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row?.pid ?? 0;
};
const endBackend = (pid: number) => helper`select pg_terminate_backend(${pid})`;
const isLoss = (error: unknown) => isConnectionLoss(error) || assert.fail(String(error));

test("a statement that is cut off fails, and the next one runs", () =>
  withPool(async (pool) => {
    const pid = await findBackend(pool);
    const lost = assert.rejects(pool`select pg_sleep(60)`, isLoss);
    const behind = pool`select 2 as two`.catch(isLoss);
    await endBackend(pid);
    await lost;
    await behind;
    assert.deepEqual([...(await pool`select 3 as three`)], [{ three: 3 }]);
  }));

test("a transaction that is cut off fails as a whole, whatever it does next, and the next one runs", () =>
  withPool(async (pool) => {
    await assert.rejects(
      inTransaction(pool, async (tx) => {
        await endBackend(await findBackend(tx));
        await tx`select 1`.catch(() => undefined);
        await tx`select ${"parameter"}::text`.catch(() => undefined);
        await tx`select 2`;
      }),
      isLoss,
    );
    assert.equal(await inTransaction(pool, async (tx) => (await tx`select 3`).length), 1);
  }));

test("an answer that is cut off in the middle is a failure, and not a part of it", () =>
  withPool(async (pool) => {
    const pid = await findBackend(pool);
    let seen = 0;
    const reading = (async () => {
      const statement = sql`select repeat('x', 5000) from generate_series(1, 100000)`;
      for await (const rows of streamRows(pool, statement, 100)) {
        seen += rows.length;
        if (seen === 300) await endBackend(pid);
      }
    })();
    await assert.rejects(reading, isLoss);
    assert.ok(seen < 100_000);
    assert.ok((await findBackend(pool)) > 0);
  }));

test("a reserved connection that is cut off fails, and the pool goes on", () =>
  withPool(async (pool) => {
    const reserved = await pool.reserve();
    await endBackend(await findBackend(reserved));
    for (let count = 0; count < 3; count++) await assert.rejects(reserved`select 1`, isLoss);
    reserved.release();
    assert.ok((await findBackend(pool)) > 0);
  }));

test("who listens goes on to hear when the connection was cut off, and is told of the gap", () =>
  withPool(async (pool) => {
    const { heard, begun } = await listenTo(pool, "news");
    await helper`select pg_notify('news', 'one')`;
    while (heard.length < 1) await new Promise(setImmediate);
    await helper`select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()`;
    while (begun.length < 2) await new Promise(setImmediate);
    await helper`select pg_notify('news', 'two')`;
    while (heard.length < 2) await new Promise(setImmediate);
    assert.deepEqual(heard, ["one", "two"]);
  }));

test("when PostgreSQL starts again nobody waits for ever, and everybody goes on", async (t) => {
  const dataDir = await makeFolder(t);
  let server = await startEmbeddedPostgres({ dataDir, fast: true });
  const pool = openPool(server.url, { connections: 4 });
  const over = new AbortController();
  const done = Array.from({ length: 12 }, () => 0);
  const work = async (_count: number, index: number) => {
    while (!over.signal.aborted) {
      const one =
        index % 2 === 0 ? pool`select pg_sleep(0.001)` : inTransaction(pool, (tx) => tx`select ${index}::int`);
      await one.then(() => (done[index] = (done[index] ?? 0) + 1), isLoss);
    }
  };
  const workers = Promise.all(done.map(work));
  for (let round = 0; round < 2; round++) {
    await server.stop();
    server = await startEmbeddedPostgres({ dataDir, fast: true });
    const before = [...done];
    while (done.some((count, index) => count === before[index])) await new Promise(setImmediate);
  }
  over.abort();
  await workers;
  await pool.end({ timeoutMs: 1000 });
  await server.stop();
});

test("a server that takes no more writes counts as lost behind one name, too, for another may answer there", async () => {
  await helper`create table written (word text)`;
  await withPool(async (pool) => {
    await pool.script("set default_transaction_read_only = on");
    assert.equal((await pool`select 1 as one`).length, 1, "who reads is served");
    const refused: unknown = await pool`insert into written values ('lost')`.catch((error: unknown) => error);
    assert.deepEqual([isConnectionLoss(refused), toProblem(refused, {}).problem], [true, "unavailable"]);
    await pool`insert into written values ('kept')`;
  });
  assert.deepEqual(await helper`select word from written`, [{ word: "kept" }]);
});

test("who waited while the database was away gets a connection, though one that listens keeps the first", async (t) => {
  const front = await startFront(url);
  t.after(() => front.stop());
  const pool = openPool(front.url, { connections: 3 });
  t.after(() => pool.end({ timeoutMs: 0 }));
  const kept = await pool.reserve();
  front.lead("postgres://somebody@127.0.0.1:1/nowhere");
  await assert.rejects(kept`select 1`, isLoss);
  kept.release();
  await Promise.all(Array.from({ length: 6 }, () => assert.rejects(pool.reserve(), isLoss)));
  front.lead(url);
  const ear = await pool.reserve();
  await ear`listen news`;
  const waiters = Array.from({ length: 6 }, () => pool.reserve());
  await Promise.all(
    waiters.map(async (waiter) => {
      const session = await waiter;
      await session`select 1`;
      session.release();
    }),
  );
  ear.release();
});

test("a server that says nothing is given up, by a statement, a transaction and a cursor", async (t) => {
  const front = await startFront(url);
  t.after(() => front.stop());
  const limits = { statement_timeout: 100, lock_timeout: 0, idle_in_transaction_session_timeout: 0 };
  const pool = openPool(front.url, { connections: 3, limits });
  t.after(() => pool.end({ timeoutMs: 0 }));
  const silent = Promise.withResolvers<void>();
  const within = inTransaction(pool, async (tx) => {
    await tx`select 1`;
    await silent.promise;
    await tx`select 2`;
  });
  const rows = streamRows(pool, sql`select generate_series(1, 4)`, 2);
  await rows.next();
  await findBackend(pool);
  front.hush("inside");
  silent.resolve();
  await Promise.all([within, rows.next(), pool`select 3`].map((lost) => assert.rejects(lost, isLoss)));
  assert.ok((await findBackend(pool)) > 0);
});
