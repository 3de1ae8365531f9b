import {
  type Account,
  type AccountChange,
  deleteAccounts,
  lockAccounts,
  type NewAccount,
  updateAccount,
} from "#platform/accounts/account-store.ts";
import { findUserName, getLockedAccount, hashGiven, refuseLosing, refuseTakenName } from "#platform/accounts/guards.ts";
import { endSessionsOf } from "#platform/accounts/session.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import type { OperatorCreate, OperatorUpdate } from "./contract.ts";
import { areSameServices, mayManage, toStoredServices } from "./rules.ts";

// Operators are accounts of the service "platform", all of them super administrators there.

/** @throws {Problem} badFormat for the password; forbidden for services that the caller does not run. */
export async function toNewAccount(
  all: readonly string[],
  { userName, name, status, ...body }: OperatorCreate,
  caller: Caller,
): Promise<NewAccount> {
  const services = toStoredServices(all, body.services);
  refuseBeyond(caller, services);
  const passwordHash = await hashGiven(body.password, userName);
  if (passwordHash === undefined) throw explain("badFormat", "password: 不能为空", "password: must not be empty");
  return { service: "platform", userName, name, passwordHash, isSuper: true, enabled: status === "1", services };
}

/** @throws {Problem} badFormat for the password. */
export async function toAccountChange(
  db: Db,
  all: readonly string[],
  id: number,
  { userName, name, status, services, password }: Omit<OperatorUpdate, "id">,
): Promise<AccountChange> {
  return {
    userName,
    name,
    passwordHash: await hashGiven(password, userName ?? (await findUserName(db, "platform", id))),
    enabled: status && status === "1",
    services: services && toStoredServices(all, services),
  };
}

export const beyond = (): Problem =>
  explain("forbidden", "超出本人所管理的服务", "beyond the services that one runs oneself");

const refuseBeyond = (caller: Caller, services: readonly string[] | null): void => {
  if (!mayManage(caller.services, services)) throw beyond();
};

/**
 * Changes an operator, whose sessions end when something is taken away or the password is another one.
 * @throws {Problem} notFound; forbidden for oneself, the last one, or beyond the caller's services; alreadyExists.
 */
export async function changeOperator(
  tx: Db,
  all: readonly string[],
  id: number,
  change: AccountChange,
  caller: Caller,
): Promise<void> {
  const { userName, passwordHash, enabled, services } = change;
  const account = await getLockedAccount(tx, "platform", id);
  const changesServices = services !== undefined && !areSameServices(all, services, account.services);
  refuseBeyond(caller, account.services);
  if (changesServices) refuseServices(caller, account, services);
  if (enabled === false) await refuseLosing(tx, "platform", [account], caller);
  if (userName !== undefined && userName !== account.userName) await refuseTakenName(tx, "platform", userName);
  await updateAccount(tx, id, change);
  if (passwordHash !== undefined || enabled === false || changesServices) await endSessionsOf(tx, [id]);
}

/** Others by what one runs; one's own not at all, so that somebody who runs everything always stays. */
function refuseServices(caller: Caller, account: Account, services: readonly string[] | null): void {
  refuseBeyond(caller, services);
  if (account.id === caller.accountId)
    throw explain("forbidden", "不能更改自己所管理的服务", "one cannot change the services that one runs");
}

/**
 * Removes operators and returns those that there were.
 * @throws {Problem} idMissing for none, notFound when there is none of them, forbidden as for a change.
 */
export async function deleteOperators(tx: Db, ids: readonly number[], caller: Caller): Promise<Account[]> {
  if (ids.length === 0) throw new Problem("idMissing");
  const accounts = await lockAccounts(tx, "platform", ids);
  if (accounts.length === 0) throw new Problem("notFound");
  for (const { services } of accounts) refuseBeyond(caller, services);
  await refuseLosing(tx, "platform", accounts, caller);
  // Their sessions go with them.
  await deleteAccounts(
    tx,
    accounts.map(({ id }) => id),
  );
  return accounts;
}
