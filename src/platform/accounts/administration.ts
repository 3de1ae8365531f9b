import {
  type Account,
  deleteAccounts,
  insertAccount,
  lockAccounts,
  type NewAccount,
  updateAccount,
} from "#platform/accounts/account-store.ts";
import { toGiven, toPasswordChange } from "#platform/accounts/given-password.ts";
import {
  beyondRights,
  getGivenRights,
  getLockedAccount,
  hashGiven,
  refuseFollowing,
  refuseLosing,
  refuseTakenName,
} from "#platform/accounts/guards.ts";
import { endSessionsOf } from "#platform/accounts/session.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { Problem } from "#platform/contract/problem.ts";
import { areSameRights, coversRights, type Rights } from "#platform/contract/rights.ts";
import type { Db } from "#platform/database/index.ts";

// What every service does with its administrators; how they are spelled on the wire is the service's own.

/** What is needed of a call that hashes a password before its transaction. */
export interface HashingCall {
  readonly db: Db;
  readonly caller: Caller;
  readonly audit: { records: (string | number)[] };
  readonly transact: (work: (tx: Db) => Promise<string>) => Promise<string>;
}

interface NewAdministrator extends Pick<NewAccount, "service" | "userName" | "name"> {
  readonly rights?: Rights | undefined;
  readonly isSuper?: boolean | undefined;
  readonly enabled?: boolean | undefined;
  /** Without one nobody can log in to the account until it is given one. */
  readonly password?: string | undefined;
}

/**
 * Adds an administrator and returns the id in decimal.
 * @throws {Problem} badFormat for the password, alreadyExists, forbidden for rights that the caller lacks.
 */
export async function addAdministrator(
  { caller, audit, transact }: Omit<HashingCall, "db">,
  { password, isSuper = false, enabled = true, rights: given, ...named }: NewAdministrator,
): Promise<string> {
  const rights = getGivenRights(caller, named.service, given);
  const passwordHash = (await hashGiven(password, named.userName)) ?? null;
  return transact(async (tx) => {
    await refuseTakenName(tx, named.service, named.userName);
    const id = await insertAccount(tx, { ...named, isSuper, enabled, rights, ...toGiven(passwordHash) });
    audit.records = [id];
    return String(id);
  });
}

interface AdministratorChange {
  readonly service: string;
  readonly id: number | undefined;
  readonly userName?: string | undefined;
  readonly name?: string | undefined;
  readonly password?: string | undefined;
  readonly isSuper?: boolean | undefined;
  readonly enabled?: boolean | undefined;
  readonly rights?: Rights | undefined;
}

/**
 * Changes what is given of an administrator. Whoever knew the old password, or held the old rights, has to log in again.
 * @throws {Problem} idMissing, notFound, badFormat for the password, alreadyExists, forbidden for a change that would
 *   leave nobody in charge, or is beyond the caller's rights.
 */
export async function changeAdministrator(
  { db, caller, audit, transact }: HashingCall,
  { service, id, password, rights: given, ...change }: AdministratorChange,
): Promise<string> {
  if (id === undefined) throw new Problem("idMissing");
  const rights = given === undefined ? undefined : getGivenRights(caller, service, given);
  const { userName, isSuper, enabled } = change;
  const next = await toPasswordChange(db, caller, { service, id, userName, password });
  return transact(async (tx) => {
    const account = await getLockedAccount(tx, service, id);
    refuseBeyondRights(caller, [account]);
    refuseFollowing(account, { ...change, rights, ...next });
    const changesRights = rights !== undefined && !areSameRights(rights, account.rights);
    const loses = (account.isSuper && isSuper === false) || (account.enabled && enabled === false) || changesRights;
    if (loses) await refuseLosing(tx, service, [account], caller);
    if (userName !== undefined && userName !== account.userName) await refuseTakenName(tx, service, userName);
    await updateAccount(tx, id, { ...change, rights, ...next });
    if (loses || next.passwordHash !== undefined) await endSessionsOf(tx, [id]);
    audit.records = [id];
    return "1";
  });
}

/** Whoever has rights that the caller lacks is not the caller's to change: a new password would give them all. */
function refuseBeyondRights(caller: Caller, accounts: readonly Account[]): void {
  const isBeyond = ({ service, rights }: Account) => !coversRights(caller.rights, rights, [service]);
  if (accounts.some(isBeyond)) throw beyondRights();
}

/** What is needed of a call that runs in its transaction from the start. */
export interface RemovingCall {
  readonly db: Db;
  readonly caller: Caller;
  readonly audit: { records: (string | number)[] };
}

/**
 * Deletes those of the ids that are administrators of the service, and returns how many, in decimal.
 * @throws {Problem} notFound when none is, forbidden for oneself, the last super administrator, and whoever has
 *   rights that the caller lacks.
 */
export async function removeAdministrators(
  { db, caller, audit }: RemovingCall,
  service: string,
  ids: readonly number[],
): Promise<string> {
  const accounts = await lockAccounts(db, service, ids);
  refuseBeyondRights(caller, accounts);
  if (accounts.length === 0) throw new Problem(ids.includes(caller.accountId) ? "forbidden" : "notFound");
  await refuseLosing(db, service, accounts, caller);
  audit.records = accounts.map(({ id }) => id);
  await deleteAccounts(db, audit.records as number[]);
  return String(accounts.length);
}
