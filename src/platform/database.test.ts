import assert from "node:assert/strict";
import { test } from "node:test";
import { inSnapshot } from "#platform/database.ts";
import { createTestDatabase } from "#test/database.ts";

const { pool } = await createTestDatabase();
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
