import {
  type Account,
  type AccountChange,
  countOtherSupers,
  isNameTakenElsewhere,
  lockAccounts,
} from "#platform/accounts/account-store.ts";
import type { AccountKind } from "#platform/accounts/kinds.ts";
import { findWeakness } from "#platform/accounts/common-passwords.ts";
import { toNameKey } from "#platform/accounts/name-key.ts";
import { hashPassword } from "#platform/accounts/password.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { isPasswordLength } from "#platform/contract/password-length.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { areSameRights } from "#platform/contract/rights.ts";
import type { Db } from "#platform/database/index.ts";

// The rules for accounts of every kind.

/** The hash for an account: undefined when no password is given, since "" or none keeps the old one. */
export async function hashGiven(password: string | undefined, userName: string): Promise<string | undefined> {
  return password === undefined || password === "" ? undefined : hashNew("password", password, userName);
}

/** The hash of a new account's password; null: nobody can log in to it. @throws {Problem} badFormat. */
export async function hashFirst(
  { password: need }: Pick<AccountKind, "password">,
  password: string | undefined,
  userName: string,
): Promise<string | null> {
  const passwordHash = await hashGiven(password, userName);
  if (need === "needed" && passwordHash === undefined)
    throw explain("badFormat", "password: 不能为空", "password: must not be empty");
  return passwordHash ?? null;
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
  if (weakness === "context")
    throw explain(
      "badFormat",
      `${field}: 密码不能只由用户名、服务或单位名称加几个字符组成`,
      `${field}: a password must not be the user name, or words of this place, and a few characters`,
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

/** The account to be changed, locked. @throws {Problem} notFound. */
export async function getLockedAccount(tx: Db, service: string, id: number): Promise<Account> {
  const [account] = await lockAccounts(tx, service, [id]);
  if (!account) throw new Problem("notFound");
  return account;
}

/** Whether accounts that are taken away, disabled, demoted or narrowed include the caller, or leave nobody in charge. */
export async function refuseLosing(
  tx: Db,
  service: string,
  accounts: readonly Account[],
  caller: Caller,
): Promise<void> {
  const ids = accounts.map(({ id }) => id);
  if (ids.includes(caller.accountId))
    throw explain(
      "forbidden",
      "不能删除、停用或降级自己，也不能更改自己的权限",
      "one cannot delete, disable or demote oneself, nor change one's own rights",
    );
  const losesSuper = accounts.some(
    ({ isSuper, enabled, rights, fromSignOn }) => isSuper && enabled && rights === null && !fromSignOn,
  );
  if (losesSuper && (await countOtherSupers(tx, service, ids)) === 0) {
    throw explain("forbidden", "不能失去最后一个启用的超级管理员", "the last enabled super administrator must stay");
  }
}

/**
 * Refuses to change by hand what signing on by the campus says of an account of its own, or to give it a password, which
 * would last longer than what the campus says. Disabling it stays possible, and deleting it.
 */
export function refuseCampusOwned(account: Account, change: AccountChange): void {
  if (!account.fromSignOn) return;
  const { userName = account.userName, isSuper = account.isSuper } = change;
  const { rights = account.rights, services = account.services, passwordHash } = change;
  const isSame = userName === account.userName && isSuper === account.isSuper && passwordHash === undefined;
  if (isSame && areSameRights(rights, account.rights) && areSameRights(services, account.services)) return;
  throw explain(
    "forbidden",
    "该账号由统一身份认证开通，名称、密码和权限不能手工更改，可停用或删除",
    "the campus sign-on has made this account and says what it may do: it can be disabled or deleted, not changed",
  );
}

export const beyondPowers = (): Problem =>
  explain("forbidden", "超出本人所管理的服务或权限", "beyond the services that one runs oneself, or one's own rights");
