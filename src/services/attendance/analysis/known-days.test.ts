import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { type Made, madeFields } from "#test/attendance/fictitious-department.ts";
import { makeKnownMonth } from "#test/attendance/known-month.ts";
import { seed } from "#test/crash/random.ts";

// The test generates days and the sheets of an export that show them. The analysis must find exactly these days, and
// must report exactly those differences from the export that the test has inserted.

const people = process.env["AT_LENGTH"] === undefined ? 60 : 1750;

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const { get, send, analyse } = await openAttendance(app, token);

for (const generation of [2020, 2026] as const)
  test(`every day is what it is known to be, ${generation}`, async () => {
    const month = generation === 2020 ? "2020-11" : "2026-04";
    const known = makeKnownMonth({ month, people, seed: seed + generation, generation, contradictions: people / 4 });
    console.log(`SEED=${seed}: ${known.days} days of people, ${known.differences.length} contradictions`);
    for (const to of ["month", "original"] as const)
      assert.equal((await send(to, known.sheets)).json.code, "0", `SEED=${seed}`);
    const { statu, differing } = { differing: -1, ...(await analyse(month)) };
    const rows = (await get("downLoad", { month })).json.data as (Made & { userId: string })[];
    assert.deepEqual([statu, rows.length, differing], [2, people, known.differences.length], `SEED=${seed}`);
    const wrong = rows.flatMap((row) => {
      const expected = known.rows.get(row.userId);
      const fields = madeFields.filter((field) => row[field] !== expected?.[field]);
      return fields.map((field) => `${row.userId} ${field}: ${row[field]}, not ${expected?.[field]}`.slice(0, 300));
    });
    assert.deepEqual(wrong.slice(0, 10), [], `SEED=${seed}: ${wrong.length} figures are wrong`);
    assert.deepEqual((await get("differences", { month })).json.data, known.differences, `SEED=${seed}`);
  });
