import { test } from "node:test";
import { exhaustedPool } from "./pressure.ts";

// What no other test has; `npm run torture` plays all of it, and longer.

test("a pool that is exhausted for a second loses nothing, and is back at once", async (t) => {
  t.diagnostic(await exhaustedPool.run({ rounds: 1, clients: 8, forMs: 1000 }));
});
