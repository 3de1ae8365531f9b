import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { createRandom, seed } from "#test/crash/random.ts";
import { fuzzEdge } from "./fuzz.ts";
import { shapes } from "./shapes.ts";

const mutated = 75;

test("whatever comes for a request: no 500, no answer to another, and what is in doubt is closed", async (t) => {
  const app = await startTestApp();
  const callers = [await app.signIn("platform"), await app.signIn("platform")];
  const { shots, answers, faults } = await fuzzEdge(
    { url: app.url, logged: app.logged, callers },
    { random: createRandom(seed), least: mutated, forMs: 0 },
  );
  t.diagnostic(`SEED=${seed}: ${shots} connections, ${answers} answers`);
  assert.deepEqual(faults, [], `SEED=${seed}`);
  assert.ok(shots >= Object.keys(shapes).length + mutated);
});
