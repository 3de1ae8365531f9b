import { randomUUID } from "node:crypto";
import { type Pool, sql } from "#platform/database/index.ts";
import { createTokenCacheOver } from "./token-cache.ts";
import type { StoredToken, TokenCache, TokenCacheTimes, TokenStore } from "./token-cache.ts";

/** A token cache that all processes on one database share. */
export function createTokenCache(pool: Pool, times: Partial<TokenCacheTimes> = {}): TokenCache {
  return createTokenCacheOver(createDatabaseTokenStore(pool), times);
}

/**
 * Tokens in `platform.outside_token`.
 * A lease column, not an advisory lock: a lock would hold a connection, or a transaction, during the call outside.
 * Takes the pool itself, whose type a transaction does not fit, so that none can be open around that call.
 * Leases are measured by the database's clock, which all processes share.
 */
export function createDatabaseTokenStore(pool: Pool): TokenStore {
  return {
    async read(name) {
      const [row] = await pool<Row[]>`select ${columns} from platform.outside_token where name = ${name}`;
      return toStored(row);
    },
    async claim(name, leaseMs) {
      const leaseId = randomUUID();
      const [row] = await pool<Row[]>`
        insert into platform.outside_token as held (name, lease_id, leased_until)
        values (${name}, ${leaseId}, clock_timestamp() + ${leaseMs} * interval '1 millisecond')
        on conflict (name) do update set lease_id = excluded.lease_id, leased_until = excluded.leased_until
        where held.lease_id is null or held.leased_until <= clock_timestamp()
        returning ${columns}`;
      return row === undefined ? null : { leaseId, stored: toStored(row) };
    },
    async saveForced(name, leaseId, { lastAtMs, count }) {
      await pool`
        update platform.outside_token set forced_at = to_timestamp(${lastAtMs / 1000}), forced_count = ${count}
        where name = ${name} and lease_id = ${leaseId}`;
    },
    async saveToken(name, leaseId, { value, expiresAtMs }) {
      await pool`
        update platform.outside_token
        set value = ${value}, expires_at = to_timestamp(${expiresAtMs / 1000}), refreshed_at = clock_timestamp()
        where name = ${name} and lease_id = ${leaseId}`;
    },
    async release(name, leaseId) {
      await pool`
        update platform.outside_token set lease_id = null, leased_until = null
        where name = ${name} and lease_id = ${leaseId}`;
    },
  };
}

type Row = {
  value: string | null;
  expiresAtMs: number | null;
  forcedAtMs: number | null;
  forcedCount: number;
};

/** Instants leave as numbers, so that the pool's own way with timestamps does not matter here. */
const columns = sql`
  value,
  (extract(epoch from expires_at) * 1000)::float8 as "expiresAtMs",
  (extract(epoch from forced_at) * 1000)::float8 as "forcedAtMs",
  forced_count as "forcedCount"`;

function toStored(row: Row | undefined): StoredToken {
  if (row === undefined) return { token: null, forced: null };
  const { value, expiresAtMs, forcedAtMs, forcedCount } = row;
  return {
    token: value === null || expiresAtMs === null ? null : { value, expiresAtMs },
    forced: forcedAtMs === null ? null : { lastAtMs: forcedAtMs, count: forcedCount },
  };
}
