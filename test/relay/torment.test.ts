import { test } from "node:test";
import { seed } from "#test/crash/random.ts";
import { torment } from "./torment.ts";

test("processes are killed and readers die: each project has what it has chosen, in order, none of it twice without a cause", async (t) => {
  t.diagnostic(`SEED=${seed}`);
  const say = (line: string) => t.diagnostic(line);
  const length = { subjects: 24, eventsEach: 12, chosen: 12, processes: 2, outages: 0 };
  await torment({ seed, ...length, sealed: seed % 2 === 0, say });
});
