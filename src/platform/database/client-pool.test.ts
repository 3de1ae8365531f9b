import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestDatabase } from "#test/database.ts";
import { startFront } from "#test/front.ts";
import type { DatabaseClient } from "./client.ts";
import { ClientPool } from "./client-pool.ts";
import { Hosts } from "./hosts.ts";

const { url } = await createTestDatabase();

test(
  "who has waited for the next try gets a connection, though nobody gives one back",
  { timeout: 20_000 },
  async (t) => {
    const front = await startFront(url);
    t.after(() => front.stop());
    const pool = new ClientPool(new Hosts(front.url), { connections: 4, name: "test", connectMs: 2000 });
    t.after(() => pool.close(0));
    const take = () =>
      new Promise<DatabaseClient | undefined>((resolve, reject) =>
        pool.take((error, client) => (error ? reject(error) : resolve(client))),
      );
    front.hush("all");
    await assert.rejects(take());
    front.open();
    const clients = await Promise.all([take(), take(), take()]);
    assert.equal(new Set(clients).size, 3);
  },
);
