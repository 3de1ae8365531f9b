import assert from "node:assert/strict";
import { test } from "node:test";
import { inTransaction, migrate, openPool } from "#platform/database/index.ts";
import { createTestDatabase } from "#test/database.ts";
import type { MigrateOptions } from "./migrate.ts";
import { compareSchema, listMigrations, readMigration } from "./migrations.ts";

async function open() {
  const { pool, url, closers } = await createTestDatabase();
  await pool`create table public.planted (id bigint generated always as identity primary key, word text)`;
  const plant = async (sql: string, options: MigrateOptions = {}) =>
    migrate(pool, { migrations: [...(await listMigrations()), readMigration("9000_planted.sql", sql)], ...options });
  return { pool, url, closers, plant };
}

const addColumn = "-- beside: 0006\nalter table public.planted add column more text;";
const addIndex =
  "-- beside: 0006\n-- outside a transaction\ncreate unique index concurrently if not exists planted_word on public.planted (word);";

test("what a migration says above its statements is read, and what it must not say is refused", () => {
  assert.deepEqual(
    [readMigration("9000_x.sql", addColumn).beside, readMigration("9000_x.sql", "-- What.\nselect 1;").beside],
    ["0006", undefined],
  );
  assert.equal(readMigration("9000_x.sql", "select 1;\n-- beside: 0006\n").beside, undefined, "below the statements");
  assert.deepEqual(
    [addIndex, addColumn].map((sql) => readMigration("9000_x.sql", sql).isOutside),
    [true, false],
  );
  assert.throws(() => readMigration("0005_x.sql", addColumn), /which comes later/);
});

test("a program may run beside newer migrations that all say so, and starts there", async () => {
  const { pool, plant } = await open();
  assert.deepEqual(await plant(addColumn), ["9000_planted.sql"]);
  const [row] = await pool`select beside from platform.migration where name = '9000_planted.sql'`;
  assert.equal(row?.["beside"], "0006");
  assert.deepEqual(await migrate(pool), []);
  await pool`update platform.migration set beside = '8999' where name = '9000_planted.sql'`;
  await assert.rejects(migrate(pool), /too new for this version: migration 9000_planted\.sql/);
  await pool`update platform.migration set beside = null where name = '9000_planted.sql'`;
  await assert.rejects(migrate(pool), /too new/);
});

test("the oldest program counts that any migration asks for, and only of those that are not known", () => {
  const files = [readMigration("0001_a.sql", ""), readMigration("0003_c.sql", "")];
  const had = (...rows: (readonly [string, string | null])[]) =>
    compareSchema(
      files,
      rows.map(([name, beside]) => ({ name, beside, hash: "" })),
    );
  assert.deepEqual(had(["0001_a.sql", null]), { pending: ["0003_c.sql"], newer: [], mayRun: true });
  const both = had(["0001_a.sql", null], ["0003_c.sql", null], ["0004_d.sql", "0003"], ["0005_e.sql", "0004"]);
  assert.deepEqual(both, { pending: [], newer: ["0004_d.sql", "0005_e.sql"], mayRun: false });
  assert.equal(had(["0004_d.sql", "0003"], ["0005_e.sql", "0001"]).mayRun, true);
  assert.equal(had(["0002_b.sql", null]).mayRun, false);
});

test("an edited migration is refused", async () => {
  const { pool } = await open();
  await pool`update platform.migration set hash = 'another' where name = '0001_platform.sql'`;
  await assert.rejects(migrate(pool), /Migration 0001_platform\.sql was changed/);
});

test("a table that somebody holds does not stop the others, and is changed once it is free", async () => {
  const { pool, plant } = await open();
  const waits = Promise.withResolvers<void>();
  let read = 0;
  let migrating: Promise<string[]> | undefined;
  await inTransaction(pool, async (holder) => {
    await holder`select from public.planted`;
    migrating = plant(addColumn, { lockMs: 200, say: () => waits.resolve() });
    await waits.promise;
    await pool`select from public.planted`;
    read++;
  });
  assert.deepEqual([await migrating, read], [["9000_planted.sql"], 1]);
});

test("it gives up with a word about who holds the table, and nothing is changed", async () => {
  const { pool, url, plant } = await open();
  const other = openPool(url, { connections: 1, name: "a long report" });
  await inTransaction(other, async (holder) => {
    await holder`select from public.planted`;
    await assert.rejects(
      plant(addColumn, { lockMs: 50, giveUpMs: 0 }),
      /9000_planted\.sql could not lock its tables within \d+ s: the longest-running transaction belongs to process \d+ \(a long report\) and has been open for \d+ s/,
    );
  });
  await other.end();
  assert.equal((await pool`select from platform.migration where name like '9000%'`).length, 0);
  assert.deepEqual(await plant(addColumn), ["9000_planted.sql"]);
});

test("an index is built outside a transaction; what a cut-off attempt has left is built anew", async () => {
  const { pool, plant } = await open();
  await pool`insert into public.planted (word) values ('twice'), ('twice')`;
  await assert.rejects(plant(addIndex), { code: "23505" });
  const isValid = () =>
    pool`select indisvalid as valid from pg_index where indexrelid = to_regclass('public.planted_word')`;
  assert.deepEqual([...(await isValid())], [{ valid: false }]);
  await pool`delete from public.planted`;
  assert.deepEqual(await plant(addIndex), ["9000_planted.sql"]);
  assert.deepEqual([...(await isValid())], [{ valid: true }]);
});

test("processes that start together take turns, also where an index is built", async () => {
  const { url, closers } = await open();
  const pools = [1, 2, 3].map(() => openPool(url, { connections: 2 }));
  closers.push(() => Promise.all(pools.map((pool) => pool.end())));
  const migrations = [
    ...(await listMigrations()),
    readMigration("9000_planted.sql", addColumn),
    readMigration("9001_planted.sql", addIndex),
  ];
  const said: string[] = [];
  const ran = await Promise.all(pools.map((pool) => migrate(pool, { migrations, say: (line) => said.push(line) })));
  assert.deepEqual(ran.flat(), ["9000_planted.sql", "9001_planted.sql"]);
  assert.deepEqual(said, []);
});
