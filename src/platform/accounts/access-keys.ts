import { timingSafeEqual } from "node:crypto";
import type { Caller } from "#platform/contract/caller.ts";
import { compileNetworks } from "#platform/contract/networks.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import type { Rights } from "#platform/contract/rights.ts";
import type { Scope } from "#platform/contract/scope.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { batchByPool, column, type Db, type Pool, type RowOf, sql, writeSelected } from "#platform/database/index.ts";
import { isVisibleTo } from "./account-store.ts";
import { hashToken, makeToken } from "./session.ts";

const columns = {
  id: column<number>("access_key.id"),
  accountId: column<number>("account_id"),
  name: column<string>("access_key.name"),
  rights: column<Rights>("access_key.rights"),
  networks: column<readonly string[] | null>("networks"),
  createdAt: column<Date>("access_key.created_at"),
  expiresAt: column<Date>("expires_at"),
  revokedAt: column<Date | null>("revoked_at"),
  rotatedAt: column<Date | null>("rotated_at"),
};

export type AccessKey = RowOf<typeof columns>;

const selected = sql.raw(writeSelected(columns));

interface StoredKey extends AccessKey {
  readonly secretHash: Buffer;
  readonly isOver: boolean;
  readonly userName: string;
  readonly accountName: string;
  readonly enabled: boolean;
  readonly accountRights: Rights;
  readonly services: readonly string[] | null;
  readonly scope: Scope;
}

const findStoredKey = batchByPool(async (pool: Pool, ids: readonly number[]): Promise<(StoredKey | undefined)[]> => {
  const rows = await pool<StoredKey[]>`
    select ${selected}, secret_hash as "secretHash", expires_at <= now() as "isOver", user_name as "userName",
      account.name as "accountName", enabled, account.rights as "accountRights", services, scope
    from platform.access_key join platform.account on account.id = account_id
    where access_key.id = any(${[...new Set(ids)]}::bigint[])`;
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => found.get(id));
});

interface NewKey extends Pick<AccessKey, "accountId" | "name" | "rights" | "networks"> {
  readonly lifetimeMs: number;
}

export async function insertKey(tx: Db, zone: string, key: NewKey) {
  const { token: secret, hash } = makeToken();
  const [row] = await tx<[Pick<AccessKey, "id" | "expiresAt">]>`
    insert into platform.access_key (account_id, name, secret_hash, rights, networks, expires_at)
    values (${key.accountId}, ${key.name}, ${hash}, ${key.rights}, ${key.networks},
      now() + ${key.lifetimeMs} * interval '1 millisecond')
    returning id, expires_at as "expiresAt"`;
  return { id: row.id, key: `${keyMark(row.id)}_${secret}`, expireTime: formatDateTime(row.expiresAt, zone) };
}

export const lockKeys = (tx: Db, ids: readonly number[]): Promise<AccessKey[]> =>
  tx<AccessKey[]>`
    select ${selected} from platform.access_key where id = any(${ids}::bigint[]) order by id for update`;

export const listKeys = (db: Db, accountId: number) =>
  db<(AccessKey & { uses: number; lastUsedAt: Date | null })[]>`
    select ${selected}, coalesce(used.uses, 0)::float8 as uses, used.last_at as "lastUsedAt"
    from platform.access_key left join lateral (
      select sum(uses) filter (where day > current_date - 30) as uses, max(last_at) as last_at
      from platform.access_key_use where key_id = access_key.id
    ) as used on true
    where account_id = ${accountId} order by access_key.id desc limit 1000`;

export const retireKey = (tx: Db, id: number, graceHours: number) => tx`
  update platform.access_key set rotated_at = now(),
    expires_at = least(expires_at, now() + make_interval(hours => ${graceHours})) where id = ${id}`;

export const revokeKeys = (tx: Db, ids: readonly number[]) => tx`
  update platform.access_key set revoked_at = coalesce(revoked_at, now()) where id = any(${ids}::bigint[])`;

export const listUses = (db: Db, caller: Caller, id: number) => db<{ day: string; uses: number }[]>`
  select to_char(day, 'YYYY-MM-DD') as day, uses from platform.access_key_use
  where key_id = (select access_key.id from platform.access_key join platform.account on account.id = account_id
      where access_key.id = ${id} and ${isVisibleTo(caller)})
    and day > current_date - 90 order by day desc`;

// Only the random part of an access key is secret. The mark before the random part, such as qk_12, may be displayed.
// The random part has 256 bits, so a fast hash suffices.

const shape = /^qk_([1-9]\d{0,14})_([\w-]{43})$/;
const sessionTokenLength = 43;

/** A session token may start with "qk_" by chance, so the length is checked too. */
export const isAccessKey = (token: string): boolean => token.startsWith("qk_") && token.length !== sessionTokenLength;

export const keyMark = (id: number): string => `qk_${id}`;

type Judged = { readonly caller: Caller } | { readonly problem: Problem; readonly mark: string | undefined };

export async function authenticateKey(pool: Pool, token: string, address: string): Promise<Judged> {
  const [, id = "", secret = ""] = shape.exec(token) ?? [];
  const key = id === "" ? undefined : await findStoredKey(pool, Number(id));
  if (!key || !timingSafeEqual(key.secretHash, hashToken(secret)))
    return { problem: new Problem("tokenInvalid"), mark: key && keyMark(key.id) };
  const problem = findKeyProblem(key, address);
  return problem ? { problem, mark: keyMark(key.id) } : { caller: toCaller(key) };
}

/**
 * Returns the problem that makes the key unusable, if there is one. The caller has proved possession of the key, so
 * naming the reason reveals nothing to people who guess.
 */
function findKeyProblem({ revokedAt, isOver, enabled, networks }: StoredKey, address: string): Problem | undefined {
  if (revokedAt !== null) return explain("tokenInvalid", "该密钥已被吊销", "the key has been revoked");
  if (isOver) return explain("tokenInvalid", "该密钥已过期", "the key has expired");
  if (!enabled) return explain("tokenInvalid", "该服务账号已停用", "the service account has been disabled");
  if (networks !== null && !compileNetworks(networks)(address))
    return explain("forbidden", "该密钥不允许从此地址使用", "the key is not allowed from this address");
  return undefined;
}

function toCaller({ id, accountId, userName, accountName, rights, accountRights, services, scope }: StoredKey): Caller {
  const own = accountRights ?? [];
  const narrowed = rights === null ? own : own.filter((right) => rights.includes(right));
  return {
    sessionId: 0,
    keyId: id,
    accountId,
    service: "platform",
    userName,
    name: accountName,
    isSuper: true,
    services,
    rights: narrowed,
    scope,
    hasFactor: false,
    factorAgeSeconds: null,
    mustChoose: false,
  };
}

const pendingUses = new WeakMap<
  Pool,
  { counts: Map<number, { count: number; lastAt: Date }>; timer: NodeJS.Timeout }
>();
const flushIntervalMs = 60_000;

export function countUse(pool: Pool, keyId: number, atMs: number): void {
  let uses = pendingUses.get(pool);
  if (!uses) {
    const timer = setTimeout(() => void writeUses(pool).catch(() => undefined), flushIntervalMs).unref();
    pendingUses.set(pool, (uses = { counts: new Map(), timer }));
  }
  const { count } = uses.counts.get(keyId) ?? { count: 0 };
  uses.counts.set(keyId, { count: count + 1, lastAt: new Date(atMs) });
}

export async function writeUses(pool: Pool): Promise<void> {
  const uses = pendingUses.get(pool);
  if (!uses) return;
  clearTimeout(uses.timer);
  pendingUses.delete(pool);
  const rows = [...uses.counts].toSorted(([a], [b]) => a - b);
  await pool`
    insert into platform.access_key_use as known (key_id, day, uses, last_at)
    select id, (last_at at time zone 'UTC')::date, count, last_at
    from unnest(${rows.map(([id]) => id)}::bigint[], ${rows.map(([, { count }]) => count)}::bigint[],
      ${rows.map(([, { lastAt }]) => lastAt.toISOString())}::timestamptz[]) as used (id, count, last_at)
    where exists (select from platform.access_key where access_key.id = used.id)
    on conflict (key_id, day) do update set uses = known.uses + excluded.uses,
      last_at = greatest(known.last_at, excluded.last_at)`;
}
