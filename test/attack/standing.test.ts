import { test } from "node:test";
import { seed } from "#test/crash/random.ts";
import { attack } from "./standing.ts";

// A short one, on a machine that does other things as well: what is asked of a server that has the machine to itself is
// in `npm run torture`. A text that is slow by its square, or a pool that is emptied, takes longer than this too.
test("an attack that stands holds up nobody", { timeout: 180_000 }, async (t) => {
  t.diagnostic(`SEED=${seed}`);
  await attack({
    seed,
    waveMs: 1000,
    clients: 100,
    rows: 1000,
    say: (line) => t.diagnostic(line),
    limits: { readyMs: 15_000, listP99Ms: 15_000, calmMs: 60_000 },
  });
});
