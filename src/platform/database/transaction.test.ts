import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Db,
  inSnapshot,
  inTransaction,
  isConnectionLoss,
  openCopyIn,
  openPool,
  sql,
  streamRows,
} from "#platform/database/index.ts";
import { createTestDatabase } from "#test/database.ts";

const { url, closers } = await createTestDatabase();
const pool = openPool(url, { connections: 4 });
closers.push(() => pool.end());
await pool.script(
  "create table told (word text); create table pair (id int primary key, count int); insert into pair values (1, 0), (2, 0)",
);
const countWords = async (word: string) => (await pool`select from told where word = ${word}`).length;

test("reads of a snapshot see one state, whatever is committed between them, and write nothing", async () => {
  const counts = await inSnapshot(pool, async (tx) => {
    const [before] = await tx<{ count: number }[]>`select count(*) from told`;
    await pool`insert into told values ('meanwhile')`;
    const [afterwards] = await tx<{ count: number }[]>`select count(*) from told`;
    return [before?.count, afterwards?.count];
  });
  assert.deepEqual(counts, [0, 0]);
  assert.equal((await pool`select from told`).length, 1);
  await assert.rejects(
    inSnapshot(pool, (tx) => tx`insert into told values ('never')`),
    { code: "25006" },
  );
});

test("a failure that nobody speaks of is no commit", async () => {
  await assert.rejects(
    inTransaction(pool, async (tx) => {
      await tx`insert into told values ('swallowed')`;
      await tx`select 1 / 0`.catch(() => undefined);
    }),
    /rolled back/,
  );
  assert.equal(await countWords("swallowed"), 0);
});

test("what was sent without waiting is in it, in its order, and its failure is the transaction's", async () => {
  await inTransaction(pool, async (tx) => {
    await tx.send`insert into told values ('sent')`;
    await tx.send`update told set word = 'sent on' where word = 'sent'`;
  });
  assert.equal(await countWords("sent on"), 1);
  // Whatever the callback does after a failed statement, the transaction reports the failure of that statement.
  const attempts = [
    async () => {},
    (tx: Db) => tx`select 1`,
    async (tx: Db) => {
      await tx`select 1`.catch(() => undefined);
      throw new Error("something else");
    },
  ];
  for (const next of attempts)
    await assert.rejects(
      inTransaction(pool, async (tx) => {
        await tx`insert into told values ('never')`;
        await tx.send`select 1 / 0`;
        await next(tx);
      }),
      { code: "22012" },
    );
  assert.equal(await countWords("never"), 0);
  await assert.rejects(pool.send`select 1 / 0`, { code: "22012" });
});

test("statements leave behind one another, and a cursor and a COPY among them still have the connection alone", async () => {
  const counts = await inTransaction(pool, async (tx) => {
    const inserted = tx`insert into told select 'row ' || n from generate_series(1, 5) as n`;
    let before = 0;
    for await (const rows of streamRows(tx, sql`select word from told where word like 'row%'`, 2))
      before += rows.length;
    const copy = await openCopyIn(tx, "told (word)");
    const after = tx`select word from told where word like 'row%'`;
    await copy.write("row 6\n");
    await copy.finish();
    await inserted;
    return [before, (await after).length];
  });
  assert.deepEqual(counts, [5, 6]);
});

test("a connection that is lost under what was sent fails it all, and another serves the next", async () => {
  await assert.rejects(
    inTransaction(pool, async (tx) => {
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await tx.send`insert into told values ('lost')`;
      await pool`select pg_terminate_backend(${row?.pid ?? 0})`;
      await tx.send`insert into told values ('lost')`;
      await tx.send`insert into told values ('lost')`;
    }),
    isConnectionLoss,
  );
  assert.equal(await countWords("lost"), 0);
});

test("a transaction that is over takes no more statements", async () => {
  const kept = await inTransaction(pool, async (tx): Promise<{ tx: Db }> => ({ tx }));
  await assert.rejects(kept.tx`insert into told values ('late')`, { code: "CONNECTION_CLOSED" });
  assert.equal(await countWords("late"), 0);
});

test("two that block each other are tried again, and both succeed", async () => {
  let tries = 0;
  let both = 0;
  const met = Promise.withResolvers<void>();
  const add = (first: number, second: number) =>
    inTransaction(pool, async (tx) => {
      tries++;
      await tx`update pair set count = count + 1 where id = ${first}`;
      if (++both === 2) met.resolve();
      await met.promise;
      await tx`update pair set count = count + 1 where id = ${second}`;
    });
  await Promise.all([add(1, 2), add(2, 1)]);
  assert.ok(tries >= 3);
  assert.deepEqual(await pool`select count from pair`, [{ count: 2 }, { count: 2 }]);
});
