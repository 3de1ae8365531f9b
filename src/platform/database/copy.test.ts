import assert from "node:assert/strict";
import { test } from "node:test";
import { inTransaction, openCopyIn, openPool, toCopyLine } from "#platform/database/index.ts";
import { createTestDatabase } from "#test/database.ts";

const { url, closers } = await createTestDatabase();
const pool = openPool(url, { connections: 2 });
closers.push(() => pool.end());
await pool`create table thing (id int primary key, name text, names text[], amounts bigint[])`;

const copy = (lines: string) =>
  inTransaction(pool, async (tx) => {
    const into = await openCopyIn(tx, "thing");
    await into.write(lines);
    await into.finish();
  });
const count = async (): Promise<number> => (await pool`select 1 from thing`).length;

test("a constraint that the last row breaks is told by name, and nothing stays", async () => {
  const line = toCopyLine([1, "a", [], []]);
  await assert.rejects(copy(line + line), { constraint: "thing_pkey" });
  assert.equal(await count(), 0);
});

test("a fault in the middle is told while rows are still being written", async () => {
  const lines = "not a number\ta\t{}\t{}\n".repeat(1000);
  const writing = inTransaction(pool, async (tx) => {
    const into = await openCopyIn(tx, "thing");
    for (let round = 0; round < 10_000; round++) await into.write(lines);
  });
  await assert.rejects(writing, { code: "22P02" });
  assert.equal(await count(), 0);
});

test("what is given up leaves nothing, and the connection works on", async () => {
  for (const lines of ["", toCopyLine([2, "b", [], []])]) {
    const writing = inTransaction(pool, async (tx) => {
      const into = await openCopyIn(tx, "thing");
      if (lines !== "") await into.write(lines);
      into.abandon();
      throw new Error("something else went wrong");
    });
    await assert.rejects(writing, { message: "something else went wrong" });
  }
  assert.equal(await count(), 0);
});

test("every text arrives as it was, inside arrays too", async () => {
  const texts = [
    "",
    " ",
    "\\",
    "\\N",
    "\\.",
    "a\tb",
    "a\nb\r\n",
    '"',
    "{a,b}",
    "NULL",
    "'",
    "学\\费",
    "👍",
    "\u2028",
    "\u0001\b\f\v\u001f",
  ];
  await copy(texts.map((text, index) => toCopyLine([index, text, [text, text], [index, 9_999_999_999]])).join(""));
  const rows = await pool`select name, names, amounts from thing order by id`;
  assert.deepEqual(
    rows.map(({ name, names, amounts }) => [name, names, amounts]),
    texts.map((text, index) => [text, [text, text], [index, 9_999_999_999]]),
  );
  await copy(toCopyLine([99, null, [], []]));
  assert.deepEqual([...(await pool`select name, names from thing where id = 99`)], [{ name: null, names: [] }]);
});
