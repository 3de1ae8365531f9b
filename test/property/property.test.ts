import assert from "node:assert/strict";
import { test } from "node:test";
import { seed } from "#test/crash/random.ts";
import { describeFindings, drive } from "./drive.ts";
import { startDrivenApp } from "./driven-app.ts";

const seconds = Number(process.env["PROPERTY_SECONDS"] ?? 3);

test("every operation keeps its contract whatever it is sent", async (t) => {
  t.diagnostic(`SEED=${seed} PROPERTY_SECONDS=${seconds}`);
  const app = await startDrivenApp(t);
  const { requests, byOperation, findings } = await drive({ ...app, seed, seconds });
  const without = [...byOperation].filter(([, { succeeded }]) => succeeded === 0).map(([name]) => name);
  const least = Math.min(...[...byOperation.values()].map(({ answered }) => answered));
  t.diagnostic(`${requests} requests, at least ${least} an operation; no success of: ${without.join(", ")}`);
  assert.equal(findings.length, 0, `SEED=${seed}${describeFindings(findings)}`);
  assert.equal(byOperation.size, app.contracts.flatMap(({ endpoints }) => Object.keys(endpoints)).length);
  // If most operations never succeeded, hardly anything but refusals would be tested.
  assert.ok(without.length < byOperation.size / 2, `too many operations never succeeded: ${without.join(", ")}`);
});
