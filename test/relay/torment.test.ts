import { test } from "node:test";
import { torment } from "./torment.ts";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

test("whatever is killed, every sound project has every event, in order and repeated only where it was cut off", async (t) => {
  t.diagnostic(`SEED=${seed}`);
  await torment({ seed, subjects: 60, eventsEach: 6, outages: 1, sealed: true, say: (line) => t.diagnostic(line) });
});
