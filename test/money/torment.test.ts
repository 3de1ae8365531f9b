import { test } from "node:test";
import { createTestDatabase } from "#test/database.ts";
import { torment } from "./torment.ts";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

test("whatever is lost, doubled, forged or killed, ledger, orders and the platforms' books agree to the fen", async (t) => {
  t.diagnostic(`SEED=${seed}`);
  const database = await createTestDatabase();
  await torment({ seed, orders: 60, killEveryMs: 2500, database, say: (line) => t.diagnostic(line) });
});
