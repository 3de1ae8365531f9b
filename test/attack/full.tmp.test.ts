import { attack } from "#test/attack/standing.ts";
import { test } from "node:test";
test("x", async () => {
  await attack({
    seed: 1,
    waveMs: 20_000,
    clients: 1200,
    rows: 4000,
    say: (l) => console.log(l),
    limits: { readyMs: 1e9, listP99Ms: 1e9, calmMs: 60_000 },
  });
});
