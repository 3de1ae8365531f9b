import { type Account, isVisibleTo, listRows } from "#platform/accounts/account-store.ts";
import type { Caller } from "#platform/contract/caller.ts";
import type { Scope } from "#platform/contract/scope.ts";
import type { ListOrder } from "#platform/contract/sorting.ts";
import { column, type Db, type Fragment, type RowOf, sql, writeSelected } from "#platform/database/index.ts";
import type { ProviderKind } from "#platform/sign-on/index.ts";
import type { IdentityField } from "./contract.ts";

export interface Identity {
  readonly provider: ProviderKind;
  readonly issuer: string;
  readonly identity: string;
}

const columns = {
  id: column<number>("known.id"),
  provider: column<ProviderKind>("provider"),
  issuer: column<string>("issuer"),
  identity: column<string>("identity"),
  accountId: column<number>("account_id"),
  service: column<string>("service"),
  services: column<readonly string[] | null>("services"),
  rights: column<readonly string[] | null>("rights"),
  scope: column<Scope>("scope"),
  userName: column<string>("user_name"),
  name: column<string>("name"),
  createdAt: column<Date>("known.created_at"),
  lastSignOnAt: column<Date | null>("last_sign_on_at"),
};

const sortColumns: Readonly<Record<IdentityField, string>> = {
  ...columns,
  createTime: columns.createdAt,
  lastUseTime: columns.lastSignOnAt,
};

export const isOf = ({ provider, issuer, identity }: Identity): Fragment =>
  sql`provider = ${provider} and issuer = ${issuer} and identity = ${identity}`;

// If the campus withdraws an account's rights, the account stays, but nobody can sign in to it.
const isOpenable = sql`enabled and (not from_sign_on or rights is distinct from '{}')`;

export type OpenedAccount = Pick<Account, "id" | "service" | "userName">;

export const findAccountsOf = (db: Db, identity: Identity): Promise<OpenedAccount[]> =>
  db<OpenedAccount[]>`
    select id, service, user_name as "userName" from platform.account
    where ${isOpenable} and id in (select account_id from platform.external_identity where ${isOf(identity)})
    order by service = 'platform' desc, service, from_sign_on`;

/**
 * Locks the account and records the sign-on. Returns false if the account was disabled, deleted or stripped of its
 * rights, or the identity was removed.
 */
export async function lockOpenedAccount(tx: Db, { id }: OpenedAccount, identity: Identity): Promise<boolean> {
  const held = await tx`select 1 from platform.account where id = ${id} and ${isOpenable} for share`;
  const used = await tx.count`
    update platform.external_identity set last_sign_on_at = now() where ${isOf(identity)} and account_id = ${id}`;
  return held.length > 0 && used > 0;
}

type IdentityFilter = { readonly [F in "identity" | "userName" | "service"]?: string | undefined };

export function listIdentities(db: Db, caller: Caller, filter: IdentityFilter, order: ListOrder<IdentityField>) {
  const from = sql`
    from platform.external_identity as known join platform.account on account.id = account_id
    where ${isVisibleTo(caller)}
    ${filter.identity === undefined ? sql`` : sql`and strpos(lower(identity), lower(${filter.identity})) > 0`}
    ${filter.userName === undefined ? sql`` : sql`and strpos(lower(user_name), lower(${filter.userName})) > 0`}
    ${filter.service === undefined ? sql`` : sql`and service = ${filter.service}`}`;
  return listRows(db, { columns, sortColumns, from }, order);
}

export async function insertIdentity(tx: Db, given: Identity, accountId: number): Promise<number> {
  const { provider, issuer, identity } = given;
  return tx.value<number>`
    insert into platform.external_identity (provider, issuer, identity, account_id)
    values (${provider}, ${issuer}, ${identity}, ${accountId}) returning id`;
}

export const deleteIdentities = (tx: Db, ids: readonly number[]) =>
  tx<RowOf<typeof columns>[]>`
    delete from platform.external_identity as known using platform.account
    where account.id = account_id and known.id = any(${ids})
    returning ${sql.raw(writeSelected(columns))}`;
