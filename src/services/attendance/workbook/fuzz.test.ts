import assert from "node:assert/strict";
import { test } from "node:test";
import { fuzzWorkbooks } from "#test/attendance/fuzz.ts";

// Half of the time that workbooks are mutated for; the other half is posted to a running app (attendance/fuzz.test.ts).
const SLICE_MS = 6_000;

test("mutated workbooks are read or refused, without a crash, a hang or rows that COPY would refuse", async (context) => {
  const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);
  context.diagnostic(`seed ${seed}`);
  const { read, refused, slowestMs } = await fuzzWorkbooks({ seed, forMs: SLICE_MS });
  context.diagnostic(`${read} read, ${refused} refused, slowest ${slowestMs.toFixed(0)} ms`);
  assert.ok(read > 5 && refused > 5, `only ${read} read and ${refused} refused`);
});
