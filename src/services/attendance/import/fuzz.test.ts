import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { postWorkbooks } from "#test/attendance/fuzz-posts.ts";

// Half of the time that workbooks are mutated for; the other half only reads them (workbook/fuzz.test.ts).
const sliceMs = 6_000;

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const attendance = await openAttendance(app, token);

test("a mutated workbook leaves every month as it was, or wholly as it says", async (context) => {
  const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);
  context.diagnostic(`seed ${seed}`);
  const { taken, refused, slowestMs } = await postWorkbooks({ attendance, pool: app.pool, seed, forMs: sliceMs });
  context.diagnostic(`${taken} taken, ${refused} refused, slowest ${slowestMs.toFixed(0)} ms`);
  assert.ok(taken > 1 && refused > 1, `only ${taken} taken and ${refused} refused`);
});
