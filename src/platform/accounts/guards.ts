import {
  type Account,
  countOtherSupers,
  findAccount,
  isNameTakenElsewhere,
  lockAccounts,
} from "#platform/accounts/account-store.ts";
import { findWeakness } from "#platform/accounts/common-passwords.ts";
import { toNameKey } from "#platform/accounts/name-key.ts";
import { hashPassword } from "#platform/accounts/password.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { isPasswordLength } from "#platform/contract/password-length.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";

// The rules that every service's administrators, and the operators, share.

/** The hash for an account: undefined when no password is given, since "" or none keeps the old one. */
export async function hashGiven(password: string | undefined, userName: string): Promise<string | undefined> {
  return password === undefined || password === "" ? undefined : hashNew("password", password, userName);
}

/** The hash of somebody's next password. @throws {Problem} badFormat, naming the field. */
export async function hashNew(field: string, password: string, userName: string): Promise<string> {
  if (!isPasswordLength(password))
    throw explain("badFormat", `${field}: 密码长度应为8到128个字符`, `${field}: a password has 8 to 128 characters`);
  const weakness = await findWeakness(password, userName);
  if (weakness === "common")
    throw explain(
      "badFormat",
      `${field}: 该密码过于常见，容易被猜中，请换一个`,
      `${field}: this is one of the commonest passwords, which are guessed first; choose another`,
    );
  if (weakness === "name")
    throw explain("badFormat", `${field}: 密码不能与用户名相同`, `${field}: a password must not be the user name`);
  return hashPassword(password);
}

/**
 * Refuses a name by which a login could mean two people, or of which nothing can be seen. Changes of names run one by one, so
 * that two cannot race.
 */
export async function refuseTakenName(tx: Db, service: string, userName: string): Promise<void> {
  const nameKey = toNameKey(userName);
  if (nameKey === "") throw explain("badFormat", "userName: 不能为空", "userName: must not be empty");
  await tx`select pg_advisory_xact_lock(hashtextextended(${`account name ${nameKey}`}, 0))`;
  if (await isNameTakenElsewhere(tx, service, userName)) throw new Problem("alreadyExists");
}

/** The name of the account; "" when there is none, which the change itself will find out. */
export async function findUserName(db: Db, service: string, id: number): Promise<string> {
  return (await findAccount(db, service, id))?.userName ?? "";
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
