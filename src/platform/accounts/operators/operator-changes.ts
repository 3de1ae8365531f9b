import {
  type Account,
  type AccountChange,
  type AccountSort,
  deleteAccounts,
  lockAccounts,
  type NewAccount,
  updateAccount,
} from "#platform/accounts/account-store.ts";
import { toGiven, toPasswordChange } from "#platform/accounts/given-password.ts";
import {
  getLockedAccount,
  hashGiven,
  refuseFollowing,
  refuseLosing,
  refuseTakenName,
} from "#platform/accounts/guards.ts";
import { endSessionsOf } from "#platform/accounts/session.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { areSameRights, toStoredRights } from "#platform/contract/rights.ts";
import type { Db } from "#platform/database/index.ts";
import type { OperatorCreate, OperatorField, OperatorUpdate } from "./contract.ts";
import { areSameServices, listPlaces, mayManage, type Powers, toStoredServices } from "./rules.ts";

// Operators are accounts of the service "platform", all of them super administrators there.

/** By what they are sorted, and service accounts as well. */
export const operatorSorts: Readonly<Record<OperatorField, AccountSort>> = {
  id: "id",
  userName: "userName",
  name: "name",
  status: "enabled",
  createTime: "createdAt",
};

/** @throws {Problem} badFormat for the password; forbidden for services that the caller does not run, or rights that they lack. */
export async function toNewAccount(
  all: readonly string[],
  { userName, name, status, ...body }: OperatorCreate,
  caller: Caller,
): Promise<NewAccount> {
  const services = toStoredServices(all, body.services);
  const given = body.rights === undefined ? caller.rights : body.rights;
  const rights = toStoredRights(listPlaces(all, services), given);
  refuseBeyond(all, caller, { services, rights });
  const passwordHash = await hashGiven(body.password, userName);
  if (passwordHash === undefined) throw explain("badFormat", "password: 不能为空", "password: must not be empty");
  return {
    service: "platform",
    userName,
    name,
    ...toGiven(passwordHash),
    isSuper: true,
    enabled: status === "1",
    services,
    rights,
  };
}

/** @throws {Problem} badFormat for the password. */
export async function toAccountChange(
  db: Db,
  all: readonly string[],
  id: number,
  { userName, name, status, services, rights, password }: Omit<OperatorUpdate, "id">,
  caller: Caller,
): Promise<AccountChange> {
  return {
    userName,
    name,
    ...(await toPasswordChange(db, caller, { service: "platform", id, userName, password })),
    enabled: status && status === "1",
    services: services && toStoredServices(all, services),
    rights,
  };
}

export const beyond = (): Problem =>
  explain("forbidden", "超出本人所管理的服务或权限", "beyond the services that one runs oneself, or one's own rights");

const refuseBeyond = (all: readonly string[], caller: Caller, others: Powers): void => {
  if (!mayManage(all, caller, others)) throw beyond();
};

/**
 * Changes an operator, whose sessions end when something is taken away or the password is another one.
 * @throws {Problem} notFound; forbidden for oneself, the last one, or beyond what the caller may do; alreadyExists.
 */
export async function changeOperator(
  tx: Db,
  all: readonly string[],
  id: number,
  change: AccountChange,
  caller: Caller,
): Promise<void> {
  const { userName, passwordHash, enabled } = change;
  const account = await getLockedAccount(tx, "platform", id);
  const powers = toPowers(all, account, change);
  const changesPowers =
    !areSameServices(all, powers.services, account.services) || !areSameRights(powers.rights, account.rights);
  refuseBeyond(all, caller, account);
  refuseFollowing(account, { ...change, ...powers });
  if (changesPowers) refusePowers(all, caller, account, powers);
  if (enabled === false) await refuseLosing(tx, "platform", [account], caller);
  if (userName !== undefined && userName !== account.userName) await refuseTakenName(tx, "platform", userName);
  await updateAccount(tx, id, { ...change, ...powers });
  if (passwordHash !== undefined || enabled === false || changesPowers) await endSessionsOf(tx, [id]);
}

/** What the operator may do where after the change; rights at a service that is no longer run go with it. */
function toPowers(all: readonly string[], account: Account, change: AccountChange): Powers {
  const { services = account.services, rights = account.rights } = change;
  return { services, rights: toStoredRights(listPlaces(all, services), rights) };
}

/** Others by what one has; one's own not at all, so that somebody who has everything always stays. */
function refusePowers(all: readonly string[], caller: Caller, account: Account, powers: Powers): void {
  refuseBeyond(all, caller, powers);
  if (account.id === caller.accountId)
    throw explain(
      "forbidden",
      "不能更改自己所管理的服务和权限",
      "one cannot change the services that one runs, nor one's own rights",
    );
}

/**
 * Removes operators and returns those that there were.
 * @throws {Problem} idMissing for none, notFound when there is none of them, forbidden as for a change.
 */
export async function deleteOperators(
  tx: Db,
  all: readonly string[],
  ids: readonly number[],
  caller: Caller,
): Promise<Account[]> {
  if (ids.length === 0) throw new Problem("idMissing");
  const accounts = await lockAccounts(tx, "platform", ids);
  if (accounts.length === 0) throw new Problem("notFound");
  for (const account of accounts) refuseBeyond(all, caller, account);
  await refuseLosing(tx, "platform", accounts, caller);
  // Their sessions go with them.
  await deleteAccounts(
    tx,
    accounts.map(({ id }) => id),
  );
  return accounts;
}
