import type { Caller } from "#platform/contract/caller.ts";
import type { Scope } from "#platform/contract/scope.ts";
import type { ListOrder } from "#platform/contract/sorting.ts";
import {
  column,
  type Columns,
  compileInsert,
  type PageWithTotal,
  type Db,
  type Fragment,
  type RowOf,
  setGiven,
  sql,
  writeSelected,
} from "#platform/database/index.ts";

// Unicode lists six thousand pairs of confusable characters, most of them in scripts that the users do not type. This
// table contains the Cyrillic and Greek letters and variants of Latin letters that are most likely to be confused.
const lookalikes = [
  ["авсԁеѕһніӏјкморԛгтуѵԝхьү", "abcdeshhiljkmopqrtyvwxby"],
  ["αβεζηικμνορτυχγϲϳ", "abeznikmvoptuxycj"],
  ["ıɑɡɩ", "iagi"],
] as const;
const latin = new Map(
  lookalikes.flatMap(([letters, twins]) => Array.from(letters, (letter, at) => [letter, twins[at]])),
);

const blanks = /[\p{White_Space}\u2800]+/gu;
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu;

/**
 * Returns the same key for names that differ only in case, width, invisible characters, the kind and number of blanks,
 * or the letters in `lookalikes`. The key is empty if no character of the name is visible. The caller must limit the
 * name's length, because normalising takes more than linear time.
 */
export function toNameKey(userName: string): string {
  const folded = userName.normalize("NFKC").toLowerCase().normalize("NFKC");
  const seen = folded.replace(blanks, " ").replace(unseen, "").replace(/ {2,}/g, " ").trim();
  return Array.from(seen, (letter) => latin.get(letter) ?? letter).join("");
}

const changeable = {
  userName: column<string>("user_name"),
  name: column<string>("name"),
  isSuper: column<boolean>("super"),
  enabled: column<boolean>("enabled"),
  services: column<readonly string[] | null>("services"),
  rights: column<readonly string[] | null>("rights"),
  scope: column<Scope>("scope"),
};
const service = column<string>("service");
const columns = {
  id: column<number>("id"),
  service,
  ...changeable,
  fromSignOn: column<boolean>("from_sign_on"),
  createdAt: column<Date>("created_at"),
};
const secret = {
  passwordHash: column<string | null>("password_hash"),
  /** The hash of the last password that somebody other than the account's owner set. */
  givenHash: column<string | null>("given_hash"),
};

export type Account = RowOf<typeof columns>;
export type AccountWithHash = Account & RowOf<typeof secret>;

const selected = sql.raw(writeSelected(columns));
const selectedWithHash = sql.raw(writeSelected({ ...columns, ...secret }));

const isNamed = (userName: string): Fragment => sql`name_key = ${toNameKey(userName)}`;

export const findForLogin = (db: Db, service: string, userName: string): Promise<AccountWithHash | undefined> =>
  db.first<AccountWithHash>`
    select ${selectedWithHash} from platform.account
    where service in (${service}, 'platform') and ${isNamed(userName)}
    order by service = 'platform' limit 1`;

/** Returns the accounts of the given services whose names look like `userName`. */
export const findNamed = (db: Db, services: readonly string[], userName: string): Promise<AccountWithHash[]> =>
  db<AccountWithHash[]>`
    select ${selectedWithHash} from platform.account
    where service = any(${services}) and ${isNamed(userName)} order by service`;

export const findAccount = (db: Db, id: number, service?: string): Promise<AccountWithHash | undefined> =>
  db.first<AccountWithHash>`
    select ${selectedWithHash} from platform.account
    where id = ${id} ${service === undefined ? sql`` : sql`and service = ${service}`}`;

/**
 * Locks the account until the transaction ends; returns false if it was disabled, deleted or given another password
 * since it was read.
 */
export const lockAccount = async (tx: Db, { id, passwordHash }: AccountWithHash): Promise<boolean> =>
  (await tx.count`
    select 1 from platform.account where id = ${id} and enabled and password_hash = ${passwordHash} for share`) === 1;

export async function renewPassword(db: Db, { id, passwordHash }: AccountWithHash, renewed: string): Promise<void> {
  await db`update platform.account set password_hash = ${renewed} where id = ${id} and password_hash = ${passwordHash}`;
}

export type NewAccount = Omit<
  AccountWithHash,
  "id" | "createdAt" | "services" | "rights" | "scope" | "fromSignOn" | "givenHash"
> &
  Partial<Pick<AccountWithHash, "services" | "rights" | "scope" | "givenHash">>;

const insert = compileInsert("platform.account", { service, ...changeable, ...secret, nameKey: "name_key" });

/**
 * Returns the new account's id. A name that is taken in the same service violates the constraint account_user_name_key
 * or account_name_key; a name that only looks like a taken one violates account_name_key.
 */
export const insertAccount = (tx: Db, account: NewAccount): Promise<number> =>
  insert(tx, { ...account, ...toStored(account), nameKey: toNameKey(account.userName) });

const toStored = ({ scope }: { readonly scope?: Scope | undefined }) => ({ scope: scope && JSON.stringify(scope) });

type Changeable = Omit<NewAccount, "service">;
export type AccountChange = { readonly [F in keyof Changeable]?: Changeable[F] | undefined };

export async function updateAccount(tx: Db, id: number, change: AccountChange): Promise<void> {
  const { userName = null } = change;
  await tx`
    update platform.account set ${setGiven({ ...changeable, ...secret }, { ...change, ...toStored(change) })},
      name_key = case when user_name = ${userName} then name_key else coalesce(${userName && toNameKey(userName)}, name_key) end
    where id = ${id}`;
}

export const lockAccounts = async (tx: Db, service: string, ids: readonly number[]): Promise<Account[]> =>
  tx<Account[]>`
    select ${selected} from platform.account
    where service = ${service} and id = any(${ids}) order by id for update`;

export async function deleteAccounts(tx: Db, ids: readonly number[]): Promise<void> {
  await tx`delete from platform.account where id = any(${ids})`;
}

/**
 * Counts the enabled super administrators with all rights and records, except those in `ids`. Campus accounts are not
 * counted, because the campus may withdraw their roles at any time. The count stays valid until the transaction ends if
 * `lockAccountChanges` was called before.
 */
export const countOtherSupers = (tx: Db, service: string, ids: readonly number[]): Promise<number> =>
  tx.value<number>`
    select count(*) as count from platform.account
    where service = ${service} and super and enabled and rights is null and scope is null and not from_sign_on
      and id <> all(${ids})`;

export const countFactors = (db: Db, accountId: number): Promise<number> =>
  db.value<number>`
    select count(*) as count from platform.factor where account_id = ${accountId} and confirmed_at is not null`;

/**
 * Makes transactions that change accounts wait for each other, so that a check that counts accounts sees all earlier
 * changes.
 */
export async function lockAccountChanges(tx: Db): Promise<void> {
  await tx.send`select pg_advisory_xact_lock(hashtextextended('changes of accounts', 0))`;
}

/** An operator and a service's administrator must not share a name, because both sign in at the service's login. */
export async function isNameTakenElsewhere(tx: Db, service: string, userName: string): Promise<boolean> {
  const others = service === "platform" ? sql`service <> 'platform'` : sql`service = 'platform'`;
  return (await tx.count`select 1 from platform.account where ${isNamed(userName)} and ${others} limit 1`) > 0;
}

/**
 * Returns the condition for the accounts that a caller may see. A caller limited to some services sees the
 * administrators of those services, and the operators and service accounts that have no other services.
 */
export const isVisibleTo = ({ services }: Pick<Caller, "services">): Fragment =>
  services === null
    ? sql`true`
    : sql`(account.service = any(${services})
        or (account.service in ('platform', 'service-account') and account.services <@ ${services}))`;

export const canSee = async (db: Db, caller: Caller, id: number, service: string): Promise<boolean> =>
  (await db.count`
    select from platform.account where id = ${id} and service = ${service} and ${isVisibleTo(caller)}`) > 0;

export interface AccountFilter {
  readonly service: string;
  readonly seenBy?: Caller;
  readonly userName?: string | undefined;
  readonly name?: string | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdTo?: Date | undefined;
}

const sortColumns = {
  ...columns,
  adminType: columns.isSuper,
  status: columns.enabled,
  time: columns.createdAt,
  createTime: columns.createdAt,
};

export type AccountField = "id" | "userName" | "name" | "adminType" | "status" | "time" | "createTime";

export function listAccounts(
  db: Db,
  filter: AccountFilter,
  order: ListOrder<AccountField>,
): Promise<PageWithTotal<Account>> {
  const from = sql`
    from platform.account where service = ${filter.service}
    ${filter.seenBy === undefined ? sql`` : sql`and ${isVisibleTo(filter.seenBy)}`}
    ${filter.userName === undefined ? sql`` : sql`and strpos(lower(user_name), lower(${filter.userName})) > 0`}
    ${filter.name === undefined ? sql`` : sql`and strpos(lower(name), lower(${filter.name})) > 0`}
    ${filter.createdFrom === undefined ? sql`` : sql`and created_at >= ${filter.createdFrom}`}
    ${filter.createdTo === undefined ? sql`` : sql`and created_at < ${filter.createdTo}`}`;
  return listRows(db, { columns, sortColumns, from }, order);
}

interface ListParts<C, Field extends string> {
  readonly columns: C;
  readonly sortColumns: Readonly<Record<Field, string>>;
  readonly from: Fragment;
}

export async function listRows<C extends Columns & { readonly id: string }, Field extends string>(
  db: Db,
  { columns, sortColumns, from }: ListParts<C, Field>,
  { field, descending, limit, offset }: ListOrder<Field>,
): Promise<PageWithTotal<RowOf<C>>> {
  const direction = descending ? sql`desc nulls last` : sql`asc nulls last`;
  const rows = await db<RowOf<C>[]>`
    select ${sql.raw(writeSelected(columns))} ${from}
    order by ${sql.raw(sortColumns[field])} ${direction}, ${sql.raw(columns.id)} ${direction} limit ${limit} offset ${offset}`;
  return { rows, totalCount: await db.value<number>`select count(*) ${from}` };
}
