import assert from "node:assert/strict";
import { test } from "node:test";
import {
  inLongTransaction,
  inSnapshot,
  isConnectionLoss,
  isOverLimit,
  longLimits,
  openPool,
  usualLimits,
} from "#platform/database.ts";
import { toProblem } from "#platform/http/failure.ts";
import { createTestDatabase } from "#test/database.ts";

const { pool, url } = await createTestDatabase();
await pool`create table told (word text)`;

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

const names = Object.keys(usualLimits);
type Setting = { name: string; setting: string };
const readLimits = (rows: Setting[]) => Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]));

test("every connection has its limits, and long work others, until it ends", async (t) => {
  const usual = () => pool<Setting[]>`select name, setting from pg_settings where name = any(${names})`;
  assert.deepEqual(readLimits(await usual()), usualLimits);
  const one = openPool(url, { connections: 1 });
  t.after(() => one.end());
  const within = await inLongTransaction(
    one,
    (tx) => tx<Setting[]>`select name, setting from pg_settings where name = any(${names})`,
  );
  assert.deepEqual(readLimits(within), longLimits);
  const after = await one<Setting[]>`select name, setting from pg_settings where name = any(${names})`;
  assert.deepEqual(readLimits(after), usualLimits);
});

test("what takes longer than it may is ended, and its caller is told to come again", async (t) => {
  const hasty = openPool(url, {
    connections: 2,
    limits: { statement_timeout: 300, lock_timeout: 50, idle_in_transaction_session_timeout: 50 },
  });
  t.after(() => hasty.end({ timeout: 1 }));
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail("it was not ended"),
      (error: unknown) => error,
    );
  const slow = await failureOf(hasty`select pg_sleep(30)`.execute());
  const locked = await pool.begin(async (tx) => {
    await tx`lock table told in access exclusive mode`;
    return failureOf(hasty`select * from told`.execute());
  });
  const idle = await failureOf(
    hasty.begin(async (tx) => {
      await tx`select 1`;
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
