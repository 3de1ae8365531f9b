import type { Rights } from "#platform/contract/rights.ts";
import { column, type Db, batchByPool, type Pool, type RowOf, sql, writeSelected } from "#platform/database/index.ts";

/** What service accounts have for their service: no login asks for it, so nobody signs in with a password. */
export const serviceAccounts = "service-account";

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

/** A key with the account that it stands for. */
export interface HeldKey extends AccessKey {
  readonly secretHash: Buffer;
  readonly isOver: boolean;
  readonly userName: string;
  readonly accountName: string;
  readonly enabled: boolean;
  readonly accountRights: Rights;
}

/** Keys that come together are looked up together. */
export const findHeldKey = batchByPool(async (pool: Pool, ids: readonly number[]): Promise<(HeldKey | undefined)[]> => {
  const rows = await pool<HeldKey[]>`
    select ${selected}, secret_hash as "secretHash", expires_at <= now() as "isOver", user_name as "userName",
      account.name as "accountName", enabled, account.rights as "accountRights"
    from platform.access_key join platform.account on account.id = account_id
    where access_key.id = any(${[...new Set(ids)]}::bigint[])`;
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => found.get(id));
});

/** Holds the key and its account until the transaction ends, as they are held that a session stands for. False: worth nothing meanwhile. */
export async function holdKey(tx: Db, id: number): Promise<boolean> {
  const rows = await tx`
    select 1 from platform.access_key join platform.account on account.id = account_id
    where access_key.id = ${id} and revoked_at is null and expires_at > now() and enabled for share`;
  return rows.length === 1;
}

export interface NewKey extends Pick<AccessKey, "accountId" | "name" | "rights" | "networks"> {
  readonly secretHash: Buffer;
  readonly lifetimeMs: number;
}

export async function insertKey(tx: Db, key: NewKey): Promise<Pick<AccessKey, "id" | "expiresAt">> {
  const [row] = await tx<Pick<AccessKey, "id" | "expiresAt">[]>`
    insert into platform.access_key (account_id, name, secret_hash, rights, networks, expires_at)
    values (${key.accountId}, ${key.name}, ${key.secretHash}, ${key.rights}, ${key.networks},
      now() + ${key.lifetimeMs} * interval '1 millisecond')
    returning id, expires_at as "expiresAt"`;
  if (!row) throw new Error("an insert returned no row");
  return row;
}

/** Of the ids, the keys that there are; they stay locked until the transaction ends. */
export const lockKeys = (tx: Db, ids: readonly number[]): Promise<AccessKey[]> =>
  tx<AccessKey[]>`
    select ${selected} from platform.access_key where id = any(${ids}::bigint[]) order by id for update`;

/** Marks the key as rotated; it goes on for so many hours at most. */
export async function endRotated(tx: Db, id: number, graceHours: number): Promise<void> {
  await tx`
    update platform.access_key set rotated_at = now(),
      expires_at = least(expires_at, now() + make_interval(hours => ${graceHours})) where id = ${id}`;
}

export async function revokeKeys(tx: Db, ids: readonly number[]): Promise<void> {
  await tx`
    update platform.access_key set revoked_at = coalesce(revoked_at, now()) where id = any(${ids}::bigint[])`;
}

export interface UsedKey extends AccessKey {
  /** In the last 30 days. */
  readonly uses: number;
  readonly lastUsedAt: Date | null;
}

/** The keys of an account, the newest first. */
export const listKeys = (db: Db, accountId: number): Promise<UsedKey[]> =>
  db<UsedKey[]>`
    select ${selected}, coalesce(used.uses, 0)::float8 as uses, used.last_at as "lastUsedAt"
    from platform.access_key left join lateral (
      select sum(uses) filter (where day > current_date - 30) as uses, max(last_at) as last_at
      from platform.access_key_use where key_id = access_key.id
    ) as used on true
    where account_id = ${accountId} order by access_key.id desc limit 1000`;

export const listUses = (db: Db, keyId: number): Promise<{ day: string; uses: number }[]> =>
  db<{ day: string; uses: number }[]>`
    select to_char(day, 'YYYY-MM-DD') as day, uses from platform.access_key_use
    where key_id = ${keyId} and day > current_date - 90 order by day desc`;

/** Adds uses to the day of UTC in which each key was last used. */
export async function addUses(pool: Pool, uses: ReadonlyMap<number, { count: number; lastAt: Date }>): Promise<void> {
  const rows = [...uses].toSorted(([a], [b]) => a - b);
  await pool`
    insert into platform.access_key_use as known (key_id, day, uses, last_at)
    select id, (last_at at time zone 'UTC')::date, count, last_at
    from unnest(${rows.map(([id]) => id)}::bigint[], ${rows.map(([, { count }]) => count)}::bigint[],
      ${rows.map(([, { lastAt }]) => lastAt.toISOString())}::timestamptz[]) as used (id, count, last_at)
    where exists (select from platform.access_key where access_key.id = used.id)
    on conflict (key_id, day) do update set uses = known.uses + excluded.uses,
      last_at = greatest(known.last_at, excluded.last_at)`;
}

export interface EndingKey {
  readonly id: number;
  readonly name: string;
  readonly userName: string;
  readonly expiresAt: Date;
}

/** Keys in use that end within so many days, and have not been rotated. */
export const listEndingKeys = (db: Db, days: number): Promise<EndingKey[]> =>
  db<EndingKey[]>`
    select access_key.id, access_key.name, user_name as "userName", expires_at as "expiresAt"
    from platform.access_key join platform.account on account.id = account_id
    where enabled and revoked_at is null and rotated_at is null
      and expires_at > now() and expires_at < now() + make_interval(days => ${days})
    order by expires_at limit 100`;

/** When the key ends, and the name of its account. */
export async function findKeyEnd(db: Db, id: number): Promise<{ name: string; expiresAt: Date } | undefined> {
  const [row] = await db<{ name: string; expiresAt: Date }[]>`
    select account.name, expires_at as "expiresAt" from platform.access_key
    join platform.account on account.id = account_id where access_key.id = ${id}`;
  return row;
}
