import assert from "node:assert/strict";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { test } from "node:test";
import { createTestDatabase } from "#test/database.ts";
import { toPlace } from "#test/tls-front.ts";
import type { DatabaseClient } from "./client.ts";
import { ClientPool } from "./client-pool.ts";
import { Hosts } from "./hosts.ts";

const { url } = await createTestDatabase();

/** A door to the database that turns the first guest away. */
async function startDoor(): Promise<{ readonly url: string; readonly close: () => void }> {
  let guests = 0;
  const server = net.createServer((guest) => {
    guest.on("error", () => {});
    if (++guests === 1) {
      guest.destroy();
      return;
    }
    const inner = net.connect(toPlace(new URL(url))).on("error", () => {});
    guest.on("close", () => inner.destroy());
    inner.on("close", () => guest.destroy());
    guest.pipe(inner).pipe(guest);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { username, password, pathname } = new URL(url);
  const { port } = server.address() as AddressInfo;
  return { url: `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`, close: () => server.close() };
}

test(
  "who has waited for the next try gets a connection, though nobody gives one back",
  { timeout: 20_000 },
  async (t) => {
    const door = await startDoor();
    t.after(door.close);
    const pool = new ClientPool(new Hosts(door.url), { connections: 4, name: "test" });
    t.after(() => pool.close(0));
    const take = () =>
      new Promise<DatabaseClient | undefined>((resolve, reject) =>
        pool.take((error, client) => (error ? reject(error) : resolve(client))),
      );
    await assert.rejects(take());
    const clients = await Promise.all([take(), take(), take()]);
    assert.equal(new Set(clients).size, 3);
  },
);
