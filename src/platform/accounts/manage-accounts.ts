import type { Caller } from "#platform/contract/caller.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import { type Page, toPage } from "#platform/contract/envelope.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { areSameRights, listDuties } from "#platform/contract/rights.ts";
import { areSameScopes } from "#platform/contract/scope.ts";
import { type PageQuery, type SortQuery, toListOrder } from "#platform/contract/sorting.ts";
import type { Db } from "#platform/database/index.ts";
import type { Call } from "#platform/process/handler.ts";
import {
  type AccountKind,
  beyondPowers,
  getLockedAccount,
  type GivenPowers,
  hashNewPassword,
  type Powers,
  refuseCampusOwned,
  refuseLockOut,
  refuseTakenName,
} from "./account-rules.ts";
import {
  type Account,
  type AccountField,
  type AccountFilter,
  deleteAccounts,
  insertAccount,
  listAccounts,
  lockAccounts,
  type NewAccount,
  updateAccount,
} from "./account-store.ts";
import { asGivenPassword, toPasswordChange } from "./login-requirements.ts";
import { endSessionsOf } from "./session.ts";

export type RemovingCall = Pick<Call<Endpoint>, "db" | "audit"> & { readonly caller: Caller };

export type HashingCall = RemovingCall & Pick<Call<Endpoint>, "transact">;

interface Given extends GivenPowers {
  readonly name?: string | undefined;
  readonly password?: string | undefined;
  readonly isSuper?: boolean | undefined;
  readonly enabled?: boolean | undefined;
}

/**
 * Creates an account, which inherits omitted powers from the caller.
 * @throws {Problem} badFormat for the name or password; alreadyExists; forbidden for powers that the caller lacks, and
 * for rights that combine duties; tooManyRequests
 */
export async function createAccount(
  kind: AccountKind,
  { caller, audit, transact }: HashingCall,
  given: Given & Pick<NewAccount, "userName" | "name">,
): Promise<string> {
  const { password, isSuper = false, enabled = true, services, rights, scope, ...named } = given;
  const { service } = kind;
  // Where duties are separated, the caller has only rights to manage accounts. A new account does not inherit this
  // limit: if its rights are omitted, it gets all rights.
  const powers = kind.toPowers(caller.duty ? { ...caller, rights: null } : caller, { services, rights, scope });
  refuseBeyond(kind, caller, powers);
  refuseCombining(caller, powers);
  if (kind.needsPassword && !password) throw explain("badFormat", "password: 不能为空", "password: must not be empty");
  const passwordHash = password ? await hashNewPassword("password", password, named.userName) : null;
  return transact(async (tx) => {
    await refuseTakenName(tx, service, named.userName);
    const id = await insertAccount(tx, {
      ...named,
      service,
      isSuper,
      enabled,
      ...powers,
      ...asGivenPassword(passwordHash),
    });
    audit.records = [id];
    audit.detail = { userName: named.userName };
    return String(id);
  });
}

/**
 * Changes the given fields. A new password, a demotion, disabling the account, or other services, rights or scope end
 * the account's sessions.
 * @throws {Problem} idMissing; notFound; badFormat for the name or password; alreadyExists; forbidden for a change that
 * exceeds the caller's powers, combines duties, locks the caller out or leaves no super administrator, and for an
 * account that the campus sign-on manages; tooManyRequests
 */
export async function changeAccount(
  kind: AccountKind,
  { db, caller, audit, transact }: HashingCall,
  given: Given & { readonly id: number | undefined; readonly userName?: string | undefined },
): Promise<string> {
  const { id, password, services, rights, scope, ...change } = given;
  if (id === undefined) throw new Problem("idMissing");
  const { service } = kind;
  const { userName, isSuper, enabled } = change;
  audit.records = [id];
  const next = await toPasswordChange(db, caller, { service, id, userName, password });
  return transact(async (tx) => {
    const account = await getLockedAccount(tx, service, id);
    const powers = kind.toPowers(account, { services, rights, scope });
    refuseBeyond(kind, caller, account, powers);
    if (rights !== undefined) refuseCombining(caller, powers);
    refuseCampusOwned(account, { ...change, ...powers, ...next });
    const loses =
      (account.isSuper && isSuper === false) ||
      (account.enabled && enabled === false) ||
      !areSameRights(powers.services, account.services) ||
      !areSameRights(powers.rights, account.rights) ||
      !areSameScopes(powers.scope, account.scope);
    if (loses) await refuseLockOut(tx, service, [account], caller);
    if (userName !== undefined && userName !== account.userName) await refuseTakenName(tx, service, userName);
    await updateAccount(tx, id, { ...change, ...powers, ...next });
    if (loses || next.passwordHash !== undefined) await endSessionsOf(tx, [id]);
    audit.detail = { userName: userName ?? account.userName };
    return "1";
  });
}

function refuseBeyond(kind: AccountKind, caller: Caller, ...powers: readonly Powers[]): void {
  if (!powers.every((some) => kind.mayManage(caller, some))) throw beyondPowers();
}

function refuseCombining({ duty }: Caller, { rights }: Powers): void {
  if (duty !== undefined && listDuties(rights ?? []).length > 1)
    throw explain(
      "forbidden",
      "系统管理、安全管理和审计管理权限不能授予同一账号",
      "an account must not have rights of more than one duty (system, security or audit)",
    );
}

/**
 * Deletes the accounts of this kind with their sessions and keys, ignores all other ids, and returns the number of
 * deleted accounts.
 * @throws {Problem} idMissing; notFound if there is no account of this kind among the ids; forbidden for the caller's
 * own account, the last super administrator, and accounts with powers that the caller lacks
 */
export async function removeAccounts(
  kind: AccountKind,
  { db, caller, audit }: RemovingCall,
  ids: readonly number[],
): Promise<string> {
  if (ids.length === 0) throw new Problem("idMissing");
  const accounts = await lockAccounts(db, kind.service, ids);
  if (accounts.length === 0) throw new Problem(ids.includes(caller.accountId) ? "forbidden" : "notFound");
  refuseBeyond(kind, caller, ...accounts);
  await refuseLockOut(db, kind.service, accounts, caller);
  const found = accounts.map(({ id }) => id);
  await deleteAccounts(db, found);
  audit.records = found;
  audit.detail = { userNames: accounts.map(({ userName }) => userName).join(",") };
  return String(accounts.length);
}

export type AccountListQuery = PageQuery & SortQuery & { readonly orderField?: AccountField | undefined };

export async function listAccountPage<Row>(
  db: Db,
  filter: AccountFilter,
  query: AccountListQuery,
  { usual, toRow }: { usual: AccountField; toRow: (account: Account) => Row },
): Promise<Page<Row>> {
  const order = toListOrder(query, usual);
  // A super administrator has the lower adminType in the contract but the higher value in the database, so the
  // direction of sorting is reversed.
  const descending = order.descending !== (order.field === "adminType");
  const { rows, totalCount } = await listAccounts(db, filter, { ...order, descending });
  return toPage(rows.map(toRow), totalCount, query);
}
