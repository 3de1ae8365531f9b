import assert from "node:assert/strict";
import { test } from "node:test";
import { inTransaction, openPool, type Pool, sql } from "#platform/database/index.ts";
import { createTestDatabase } from "#test/database.ts";

const { url, closers } = await createTestDatabase();
const pool = openPool(url, { connections: 1 });
closers.push(() => pool.end());
await pool.script(
  "create table thing (id int primary key, name text); insert into thing select i, 'thing ' || i from generate_series(1, 5) i",
);

const findBackend = async (db: Pool): Promise<number> => (await db`select pg_backend_pid() as pid`)[0]?.["pid"];
const countPrepared = async (): Promise<number> =>
  (await pool`select count(*) as count from pg_prepared_statements where statement like '%counted%'`)[0]?.["count"];

const instants = ["2027-03-01T09:30:00.123Z", "+010000-01-01T00:00:00.000Z", "+012345-06-07T08:09:10.011Z"].map(
  (text) => new Date(text),
);
const early = new Date("0099-12-31T23:59:59.000Z");
const beforeZones = new Date("1900-01-01T00:00:00.000Z");

for (const [type, value, expected = value] of [
  ["text", "学费 👍 \\ ' \" \u2028"],
  ["text", null],
  ["integer", -7],
  ["bigint", 2 ** 53 - 1],
  ["bigint", 12n, 12],
  ["double precision", 0.1],
  ["numeric", 1.5, "1.5"],
  ["boolean", false],
  ["bytea", Buffer.from([0, 1, 255])],
  ["bytea", new Uint8Array([1, 2]), Buffer.from([1, 2])],
  ["uuid", "6f0c2c30-0d6f-4f6b-8f35-3c2f6e0e6c11"],
  ["date", "2027-03-01", new Date("2027-03-01")],
  ...[...instants, early, beforeZones].map((instant) => ["timestamptz", instant] as const),
  ["jsonb", JSON.stringify({ a: [1, "二"] }), { a: [1, "二"] }],
  ["json", "[]", []],
  ["text[]", ["", "a,b", '"', "\\", "{}", "NULL", "学"]],
  ["text[]", ["a", null]],
  ["text[]", []],
  ["integer[]", [1, null, -3]],
  ["smallint[]", [1]],
  ["bigint[]", [9_999_999_999, 1]],
  ["bigint[]", []],
  ["numeric[]", [1.5], ["1.5"]],
  ["boolean[]", [true, false]],
  ["timestamptz[]", [...instants, early, null]],
  ["bytea[]", [Buffer.from([0, 255])]],
] as const)
  test(`${type}: ${JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? String(part) : part))} arrives and comes back`, async () => {
    const [row] = await pool`select ${value}::${sql.raw(type)} as value`;
    assert.deepEqual(row, { value: expected });
  });

test("pieces stand in one another, and values get their places in the order of the text", async () => {
  const names = sql`${"a"}, ${"b"}`;
  const both = sql.join([sql`id > ${1}`, sql`id < ${4}`], " and ");
  const order = sql`order by ${sql.identifier("thing.id")} ${sql.raw("desc")}`;
  const rows = await pool<{ id: number; letters: string[] }[]>`
    select id, array[${names}, ${"c"}] as letters from ${sql.identifier("public.thing")} where ${both} ${order}`;
  assert.deepEqual(rows, [
    { id: 3, letters: ["a", "b", "c"] },
    { id: 2, letters: ["a", "b", "c"] },
  ]);
  assert.deepEqual(await pool(sql`select ${sql.join([], ", ")} 1 as one`), [{ one: 1 }]);
});

test("a name is quoted, whatever is in it, and what is not there is not sent as null", async () => {
  const [nothing] = [] as string[];
  assert.throws(() => pool`select ${nothing as string}::text`, TypeError);
  await assert.rejects(pool`select 1 from ${sql.identifier('thing"; drop table thing; --')}`, { code: "42P01" });
  assert.equal((await pool`select from thing`).length, 5);
});

test("a text is prepared once on a connection, under one name, also when it is put together anew", async () => {
  for (const id of [1, 2, 3]) {
    await pool`select ${"counted"}::text, ${sql`name`} from thing where id = ${id}`;
    await pool.query("select name, 'counted' from thing where id = $1", [id]);
  }
  assert.equal(await countPrepared(), 1 + 1);
});

test("texts without end do not fill the connection for ever", async () => {
  const first = await findBackend(pool);
  for (let index = 0; index < 2100; index++) await pool.query(`select ${index} as counted`, []);
  assert.notEqual(await findBackend(pool), first);
  assert.ok((await countPrepared()) < 2100);
});

test("a script is several statements, and gives the rows of the last", async () => {
  assert.deepEqual(await pool.script("select 1 as one; select 2 as two"), [{ two: 2 }]);
  assert.deepEqual(await pool.script("set application_name = 'x'"), []);
});

test("one row, one value, the values of one column and a count are had by themselves", async () => {
  assert.deepEqual(await pool.first`select id, name from thing order by id`, { id: 1, name: "thing 1" });
  assert.equal(await pool.first`select from thing where id = 9`, undefined);
  assert.equal(await pool.value`select count(*) from thing`, 5);
  assert.equal(await pool.value`select id from thing where id = 9`, undefined);
  assert.deepEqual(await pool.values`select id from thing where id < 3 order by id`, [1, 2]);
  assert.equal(await pool.count`select from thing where id < 3`, 2);
});

test("a statement that fails is told with the place it was asked from, and costs no connection", async () => {
  const before = await findBackend(pool);
  await assert.rejects(pool`select 1 / ${0}::int`, (error: Error & { code?: string }) => {
    assert.equal(error.code, "22012");
    assert.match(error.stack ?? "", /sql\.test\.ts/);
    return true;
  });
  assert.equal(await findBackend(pool), before);
});

test("a table that was changed behind a prepared statement is read as it is now", async () => {
  const read = (db: Pool) => db`select * from thing where id = ${1}`;
  assert.deepEqual(await read(pool), [{ id: 1, name: "thing 1" }]);
  await pool.script("alter table thing add column more int");
  assert.deepEqual(await read(pool), [{ id: 1, name: "thing 1", more: null }]);
  await pool.script("alter table thing drop column more");
  assert.deepEqual(await inTransaction(pool, (tx) => read(tx as Pool)), [{ id: 1, name: "thing 1" }]);
  const before = await findBackend(pool);
  await pool.script("deallocate all");
  assert.deepEqual(await read(pool), [{ id: 1, name: "thing 1" }]);
  assert.equal(await findBackend(pool), before);
});
