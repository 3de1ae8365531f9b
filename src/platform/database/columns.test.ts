import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestDatabase } from "#test/database.ts";
import { column, compileInsert, compileValues, setGiven, sql, writeNames, writeSelected } from "./index.ts";

const columns = {
  userName: column<string>("user_name"),
  note: column<string | null>("note"),
  sizes: column<readonly number[] | null>("sizes"),
  madeAt: column<Date | null>("made_at"),
};
const madeAt = new Date("2026-05-01T08:00:00Z");
const insert = compileInsert("people", columns);
const { pool } = await createTestDatabase();
await pool`
  create table people (id int generated always as identity, user_name text not null, note text, sizes int[], made_at timestamptz)`;

const read = async (id: number) =>
  (await pool`select ${sql.raw(writeSelected(columns))} from people where id = ${id}`)[0];

test("columns are listed under the names of their fields, or by themselves", () => {
  assert.equal(writeSelected(columns), 'user_name as "userName", note, sizes, made_at as "madeAt"');
  assert.equal(writeNames(columns), "user_name, note, sizes, made_at");
  assert.deepEqual(compileValues(columns)<unknown>({ note: "b", userName: "a" }), ["a", "b", null, null]);
});

test("a record is inserted field by field, null where it has none, and nothing else of it", async () => {
  const whole = { userName: "a", note: "b", sizes: [1, 2], madeAt };
  assert.deepEqual({ ...(await read(await insert(pool, { ...whole, id: 7 } as typeof whole))) }, whole);
  assert.deepEqual(
    { ...(await read(await insert(pool, { userName: "c", note: undefined }))) },
    {
      userName: "c",
      note: null,
      sizes: null,
      madeAt: null,
    },
  );
  await assert.rejects(insert(pool, { note: "no name" }), /null value in column "user_name"/);
});

test("a change sets what it gives, null too, and keeps what it leaves out", async () => {
  const id = await insert(pool, { userName: "a", note: "b", sizes: [1], madeAt });
  const change = (given: Parameters<typeof setGiven<keyof typeof columns>>[1]) =>
    pool`update people set ${setGiven(columns, given)} where id = ${id}`;
  await change({});
  assert.deepEqual({ ...(await read(id)) }, { userName: "a", note: "b", sizes: [1], madeAt });
  await change({ note: null, sizes: [2, 3] });
  assert.deepEqual({ ...(await read(id)) }, { userName: "a", note: null, sizes: [2, 3], madeAt });
  await change({ userName: "d", note: undefined, madeAt: null });
  assert.deepEqual({ ...(await read(id)) }, { userName: "d", note: null, sizes: [2, 3], madeAt: null });
});
