import assert from "node:assert/strict";
import { test } from "node:test";
import { openPool } from "#platform/database/index.ts";
import { countHit } from "#platform/http/rate-limit.ts";
import { createTestDatabase } from "#test/database.ts";
import { withinOneMinute } from "#test/one-minute.ts";

const { pool, url, closers } = await createTestDatabase();
const other = openPool(url, { connections: 3 });
closers.push(() => other.end());

test("of calls at once in two processes just as many pass as the limit says, each address by itself", async () => {
  const calls = Array.from({ length: 300 }, (_, n) => ({ at: n % 2 ? pool : other, address: `203.0.113.${n % 3}` }));
  const waits = await withinOneMinute(pool, () =>
    Promise.all(calls.map(({ at, address }) => countHit(at, "open", address, 30))),
  );
  for (const address of ["203.0.113.0", "203.0.113.1", "203.0.113.2"]) {
    const own = waits.filter((_, n) => calls[n]?.address === address);
    assert.equal(own.filter((wait) => wait === undefined).length, 30);
    assert.ok(own.every((wait) => wait === undefined || (wait >= 1 && wait <= 60)));
  }
  assert.equal(await countHit(pool, "login", "203.0.113.0", 1), undefined);
});
