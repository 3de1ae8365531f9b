import {
  type Account,
  countOtherSupers,
  isNameTakenElsewhere,
  lockAccounts,
} from "#platform/accounts/account-store.ts";
import { hashPassword, isPasswordLength } from "#platform/accounts/password.ts";
import type { Caller } from "#platform/accounts/session.ts";
import type { Db } from "#platform/database.ts";
import { explain, Problem } from "#platform/problem.ts";

// The rules that every service's administrators, and the operators, share.

/** The hash for an account: undefined when no password is given, since "" or none keeps the old one. */
export async function hashGiven(password: string | undefined): Promise<string | undefined> {
  if (password === undefined || password === "") return undefined;
  if (!isPasswordLength(password))
    throw explain("badFormat", "password: 密码长度应为8到128个字符", "password: a password has 8 to 128 characters");
  return hashPassword(password);
}

/** Refuses a name by which a login could mean two people. Changes of names take turns, so that two cannot race. */
export async function refuseTakenName(tx: Db, service: string, userName: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`account name ${userName}`}, 0))`;
  if (await isNameTakenElsewhere(tx, service, userName)) throw new Problem("alreadyExists");
}

/** The account to be changed, locked. @throws {Problem} notFound. */
export async function getLockedAccount(tx: Db, service: string, id: number): Promise<Account> {
  const [account] = await lockAccounts(tx, service, [id]);
  if (!account) throw new Problem("notFound");
  return account;
}

/** Whether accounts that are taken away, disabled or demoted include the caller, or leave nobody in charge. */
export async function refuseLosing(
  tx: Db,
  service: string,
  accounts: readonly Account[],
  caller: Caller,
): Promise<void> {
  const ids = accounts.map(({ id }) => id);
  if (ids.includes(caller.accountId))
    throw explain("forbidden", "不能删除、停用或降级自己", "one cannot delete, disable or demote oneself");
  const losesSuper = accounts.some(({ isSuper, enabled }) => isSuper && enabled);
  if (losesSuper && (await countOtherSupers(tx, service, ids)) === 0) {
    throw explain("forbidden", "不能失去最后一个启用的超级管理员", "the last enabled super administrator must stay");
  }
}
