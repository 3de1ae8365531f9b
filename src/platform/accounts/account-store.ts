import { toNameKey } from "#platform/accounts/name-key.ts";
import { type Db, type Fragment, inTransaction, type Pool, sql } from "#platform/database/index.ts";

/** One who can log in: an administrator of one service, or an operator (service "platform"). */
export interface Account {
  readonly id: number;
  readonly service: string;
  readonly userName: string;
  readonly name: string;
  readonly isSuper: boolean;
  readonly enabled: boolean;
  readonly services: readonly string[] | null;
  readonly createdAt: Date;
}

export interface AccountWithHash extends Account {
  readonly passwordHash: string | null;
}

const columns = sql`
  id, service, user_name as "userName", name, super as "isSuper", enabled, services, created_at as "createdAt"`;

const isNamed = (userName: string): Fragment =>
  sql`(name_key = ${toNameKey(userName)} or (name_key is null and user_name = ${userName}))`;

/**
 * The account that a login at the service means: the service's own, else an operator of that name. Of names that look
 * alike from before they were one, it is the one that is spelled so.
 */
export async function findForLogin(db: Db, service: string, userName: string): Promise<AccountWithHash | undefined> {
  const [row] = await db<AccountWithHash[]>`
    select ${columns}, password_hash as "passwordHash" from platform.account
    where service in (${service}, 'platform') and ${isNamed(userName)}
    order by user_name = ${userName} desc, service = 'platform' limit 1`;
  return row;
}

export async function findAccount(db: Db, service: string, id: number): Promise<AccountWithHash | undefined> {
  const [row] = await db<AccountWithHash[]>`
    select ${columns}, password_hash as "passwordHash" from platform.account
    where id = ${id} and service = ${service}`;
  return row;
}

/** Holds the account as it was read until the transaction ends. False: disabled, deleted or given another password since. */
export async function holdAccount(tx: Db, { id, passwordHash }: AccountWithHash): Promise<boolean> {
  const rows = await tx`
    select 1 from platform.account where id = ${id} and enabled and password_hash = ${passwordHash} for share`;
  return rows.length === 1;
}

export interface NewAccount {
  readonly service: string;
  readonly userName: string;
  readonly name: string;
  readonly passwordHash: string | null;
  readonly isSuper: boolean;
  readonly enabled: boolean;
  readonly services?: readonly string[] | null;
}

/** The new id. A name that is taken, or looks like one that is, breaks account_user_name_key or account_name_key. */
export async function insertAccount(tx: Db, account: NewAccount): Promise<number> {
  const [row] = await tx<{ id: number }[]>`
    insert into platform.account (service, user_name, name_key, name, password_hash, super, enabled, services)
    values (${account.service}, ${account.userName}, ${toNameKey(account.userName)}, ${account.name}, ${account.passwordHash}, ${account.isSuper},
      ${account.enabled}, ${account.services ?? null})
    returning id`;
  if (!row) throw new Error("an insert returned no row");
  return row.id;
}

export interface AccountChange {
  readonly userName?: string | undefined;
  readonly name?: string | undefined;
  readonly passwordHash?: string | undefined;
  readonly isSuper?: boolean | undefined;
  readonly enabled?: boolean | undefined;
  readonly services?: readonly string[] | null | undefined;
}

/** Changes what is given and keeps the rest. */
export async function updateAccount(tx: Db, id: number, change: AccountChange): Promise<void> {
  const { userName = null } = change;
  await tx`
    update platform.account set
      user_name = coalesce(${userName}, user_name),
      name_key = case when user_name = ${userName} then name_key else coalesce(${userName && toNameKey(userName)}, name_key) end,
      name = coalesce(${change.name ?? null}, name),
      password_hash = coalesce(${change.passwordHash ?? null}, password_hash),
      super = coalesce(${change.isSuper ?? null}, super),
      enabled = coalesce(${change.enabled ?? null}, enabled),
      services = case when ${change.services !== undefined} then ${change.services ?? null}::text[] else services end
    where id = ${id}`;
}

/** Of the ids, those that are accounts of the service; they stay locked until the transaction ends. */
export async function lockAccounts(tx: Db, service: string, ids: readonly number[]): Promise<Account[]> {
  return tx<Account[]>`
    select ${columns} from platform.account
    where service = ${service} and id = any(${ids}) order by id for update`;
}

export async function deleteAccounts(tx: Db, ids: readonly number[]): Promise<void> {
  await tx`delete from platform.account where id = any(${ids})`;
}

/**
 * How many enabled super administrators the service has besides those. The count holds until the transaction ends:
 * changes of accounts of one service run one after another.
 */
export async function countOtherSupers(tx: Db, service: string, ids: readonly number[]): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*) as count from platform.account
    where service = ${service} and super and enabled and id <> all(${ids})`;
  return row?.count ?? 0;
}

/** Has changes of accounts and sessions run one after another; they are rare, and who checks a count must see the other's. */
export async function takeAccountTurn(tx: Db): Promise<void> {
  await tx.send`select pg_advisory_xact_lock(hashtextextended('changes of accounts', 0))`;
}

/** Whether somebody has the name with whom a login at the same place would be mixed up. */
export async function isNameTakenElsewhere(tx: Db, service: string, userName: string): Promise<boolean> {
  const others = service === "platform" ? sql`service <> 'platform'` : sql`service = 'platform'`;
  const rows = await tx`select 1 from platform.account where ${isNamed(userName)} and ${others} limit 1`;
  return rows.length > 0;
}

/**
 * Gives accounts of earlier versions the key of their name, the oldest first; one whose key another has by then keeps
 * none. Returns those.
 */
export async function fillNameKeys(pool: Pool): Promise<Pick<Account, "id" | "service">[]> {
  const lacks = await pool`select 1 from platform.account where name_key is null limit 1`;
  if (lacks.length === 0) return [];
  return inTransaction(pool, async (tx) => {
    await takeAccountTurn(tx);
    const left: Pick<Account, "id" | "service">[] = [];
    const accounts = await tx<Pick<Account, "id" | "service" | "userName">[]>`
      select id, service, user_name as "userName" from platform.account where name_key is null order by id`;
    for (const { id, service, userName } of accounts) {
      const nameKey = toNameKey(userName);
      const reach = service === "platform" ? sql`true` : sql`service in (${service}, 'platform')`;
      const count = await tx.count`
        update platform.account set name_key = ${nameKey} where id = ${id} and ${nameKey !== ""}
          and not exists (select from platform.account where name_key = ${nameKey} and ${reach})`;
      if (count === 0) left.push({ id, service });
    }
    return left;
  });
}

export interface AccountFilter {
  readonly service: string;
  readonly userName?: string | undefined;
  readonly name?: string | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdTo?: Date | undefined;
}

export type AccountSort = "id" | "userName" | "name" | "isSuper" | "enabled" | "createdAt";

export interface ListOrder<Field extends string> {
  readonly field: Field;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

export async function listAccounts(
  db: Db,
  filter: AccountFilter,
  order: ListOrder<AccountSort>,
): Promise<{ rows: Account[]; totalCount: number }> {
  const where = sql`
    where service = ${filter.service}
    ${filter.userName === undefined ? sql`` : sql`and strpos(lower(user_name), lower(${filter.userName})) > 0`}
    ${filter.name === undefined ? sql`` : sql`and strpos(lower(name), lower(${filter.name})) > 0`}
    ${filter.createdFrom === undefined ? sql`` : sql`and created_at >= ${filter.createdFrom}`}
    ${filter.createdTo === undefined ? sql`` : sql`and created_at < ${filter.createdTo}`}`;
  const sortColumn = {
    id: sql`id`,
    userName: sql`user_name`,
    name: sql`name`,
    isSuper: sql`super`,
    enabled: sql`enabled`,
    createdAt: sql`created_at`,
  }[order.field];
  const direction = order.descending ? sql`desc` : sql`asc`;
  const [count] = await db<{ count: number }[]>`select count(*) as count from platform.account ${where}`;
  const rows = await db<Account[]>`
    select ${columns} from platform.account ${where}
    order by ${sortColumn} ${direction}, id ${direction} limit ${order.limit} offset ${order.offset}`;
  return { rows, totalCount: count?.count ?? 0 };
}
