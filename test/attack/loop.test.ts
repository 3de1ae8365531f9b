import assert from "node:assert/strict";
import { test } from "node:test";
import { startDrivenApp } from "#test/property/driven-app.ts";
import { createRandom, seed } from "#test/crash/random.ts";
import { findHolds } from "./loop.ts";

const only = new RegExp(process.env["ATTACK_ONLY"] ?? ".");
const seconds = Number(process.env["ATTACK_SECONDS"] ?? 3);

test("no text holds the loop for 100 ms", { timeout: 600_000 }, async (t) => {
  const { app } = await startDrivenApp(t);
  const { requests, slowestMs, hardestMs, held } = await findHolds({
    app,
    random: createRandom(seed),
    forMs: seconds * 1000,
    least: 60,
    only,
  });
  t.diagnostic(
    `SEED=${seed}: ${requests} requests, highest CPU time ${slowestMs.toFixed(0)} ms on the event loop, ${hardestMs.toFixed(0)} ms in the process`,
  );
  assert.deepEqual(held, [], `SEED=${seed}`);
  assert.ok(requests >= 60);
});
