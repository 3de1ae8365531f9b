import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Db,
  inLongTransaction,
  inTransaction,
  isConnectionLoss,
  isOverLimit,
  longLimits,
  openPool,
  usualLimits,
} from "#platform/database/index.ts";
import { toProblem } from "#platform/http/failure.ts";
import { createTestDatabase } from "#test/database.ts";

const { pool, url } = await createTestDatabase();
await pool`create table told (word text)`;

const names = Object.keys(usualLimits);
const readLimits = async (db: Db) => {
  const rows = await db<{ name: string; setting: string }[]>`
    select name, setting from pg_settings where name = any(${names})`;
  return Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]));
};

test("every connection has its limits, and long work others, until it ends", async (t) => {
  assert.deepEqual(await readLimits(pool), usualLimits);
  const one = openPool(url, { connections: 1 });
  t.after(() => one.end());
  assert.deepEqual(await inLongTransaction(one, readLimits), longLimits);
  assert.deepEqual(await readLimits(one), usualLimits);
});

test("what takes longer than it may is ended, and its caller is told to come again", async (t) => {
  const hasty = openPool(url, {
    connections: 2,
    limits: { statement_timeout: 300, lock_timeout: 50, idle_in_transaction_session_timeout: 50 },
  });
  t.after(() => hasty.end({ timeoutMs: 1000 }));
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail("it was not ended"),
      (error: unknown) => error,
    );
  const slow = await failureOf(hasty`select pg_sleep(30)`);
  const locked = await inTransaction(pool, async (tx) => {
    await tx`lock table told in access exclusive mode`;
    return failureOf(hasty`select * from told`);
  });
  const idle = await failureOf(
    inTransaction(hasty, async (tx) => {
      const [own] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      while ((await pool`select 1 from pg_stat_activity where pid = ${own?.pid ?? 0}`).length > 0);
      return tx`select 1`;
    }),
  );
  assert.deepEqual([slow, locked].map(isOverLimit), [true, true]);
  assert.ok(isConnectionLoss(idle));
  for (const error of [slow, locked, idle]) {
    const { problem, extras } = toProblem(error, {});
    assert.deepEqual([problem, extras.headers], ["unavailable", { "retry-after": "2" }]);
  }
  assert.deepEqual([...(await hasty`select 1 as one`)], [{ one: 1 }]);
});

test("a file that is missing is no database that is lost", () => {
  assert.equal(isConnectionLoss(Object.assign(new Error(), { code: "ENOENT", syscall: "open" })), false);
  assert.equal(isConnectionLoss(Object.assign(new Error(), { code: "ENOENT", syscall: "connect" })), true);
});
