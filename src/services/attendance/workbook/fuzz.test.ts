import assert from "node:assert/strict";
import { test } from "node:test";
import { fuzzWorkbooks } from "#test/attendance/fuzz.ts";

// The number of mutated workbooks. `npm run torture` reads thirty thousand.
const ROUNDS = 40;

test("mutated workbooks are read or refused, without a crash, a hang or rows that COPY would refuse", async (context) => {
  const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);
  context.diagnostic(`seed ${seed}`);
  const { read, refused, slowestMs } = await fuzzWorkbooks({ seed, rounds: ROUNDS });
  context.diagnostic(`${read} read, ${refused} refused, slowest ${slowestMs.toFixed(0)} ms`);
  assert.ok(read > 3 && refused > 3, `only ${read} read and ${refused} refused`);
});
