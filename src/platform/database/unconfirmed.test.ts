import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { inTransaction, openPool } from "#platform/database/index.ts";
import { query } from "#test/embedded-postgres/server.ts";
import { needsLinux, startNetworkPostgres } from "#test/network-postgres.ts";

const cancelWaiting = async (url: string): Promise<boolean> =>
  (await query(url, "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'")).length > 0;

test("a commit that no standby has confirmed is not acknowledged", needsLinux, async (context) => {
  const server = await startNetworkPostgres(context, { settings: ["synchronous_commit=on"] });
  const address = `postgres://quintet_owner@${server.host}/quintet`;
  const pool = openPool(address, { connections: 2 });
  context.after(() => pool.end({ timeoutMs: 0 }));
  await pool`create table told (word text primary key)`;
  await query(server.localUrl, "alter system set synchronous_standby_names = 'nobody'");
  await query(server.localUrl, "select pg_reload_conf()");
  // Commits wait for a standby only after all server processes have reloaded the setting.
  for (let isHeard = false; !isHeard;) {
    const probe = query(server.localUrl, "insert into told values (gen_random_uuid())").then(() => true);
    while (!(await Promise.race([probe, delay(20)]))) isHeard ||= await cancelWaiting(server.localUrl);
  }

  for (const write of [
    () => inTransaction(pool, (tx) => tx`insert into told values ('in a transaction')`),
    () => pool`insert into told values ('alone')`,
    // An update that writes no row, as in a retry with the same Idempotency-Key, must wait for the standby like the
    // first attempt.
    () => pool`insert into told values ('alone') on conflict (word) do update set word = excluded.word where false`,
  ]) {
    const refused = assert.rejects(write(), { code: "CONNECTION_UNCONFIRMED" });
    while (!(await cancelWaiting(server.localUrl)));
    await refused;
  }

  await query(server.localUrl, "alter system reset synchronous_standby_names");
  await query(server.localUrl, "select pg_reload_conf()");
  await inTransaction(pool, (tx) => tx`insert into told values ('confirmed')`);
});
