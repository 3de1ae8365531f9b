import { test } from "node:test";
import { createTestDatabase } from "#test/database.ts";
import { torment } from "./torment.ts";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

test("whatever is lost, doubled, forged or killed, ledger, orders and the platforms' books agree to the fen", async (t) => {
  t.diagnostic(`SEED=${seed}`);
  const database = await createTestDatabase();
  const say = (line: string) => t.diagnostic(line);
  await torment({
    seed,
    orders: 16,
    killEveryMs: 2000,
    limitSeconds: 10,
    timeoutMs: 500,
    approval: seed % 2 === 0 ? "one" : "two",
    database,
    say,
  });
});
