import type { Caller, Duty } from "#platform/contract/caller.ts";
import { isPasswordLength } from "#platform/contract/password-length.ts";
import { explain, found, Problem } from "#platform/contract/problem.ts";
import { areSameRights, listRights, mayGrant, type Rights, toStoredRights } from "#platform/contract/rights.ts";
import { type Dimensions, isWithinScope, type Scope, toStoredScope } from "#platform/contract/scope.ts";
import type { Db } from "#platform/database/index.ts";
import {
  type Account,
  type AccountChange,
  countOtherSupers,
  isNameTakenElsewhere,
  lockAccounts,
  toNameKey,
} from "./account-store.ts";
import { hashPassword } from "./password.ts";

// An AccountKind contains the rules in which administrators, operators and service accounts differ. The functions in
// manage-accounts.ts apply to all three.

// Null means all services; responses contain the names of all services instead.
type Services = readonly string[] | null;

export interface Powers {
  readonly services: Services;
  readonly rights: Rights;
  readonly scope: Scope;
  readonly duty?: Duty;
}

export type GivenPowers = { readonly [P in "services" | "rights" | "scope"]?: Powers[P] | undefined };

export interface AccountKind {
  readonly service: string;
  readonly needsPassword: boolean;
  readonly toPowers: (standard: Powers, given: GivenPowers) => Powers;
  /**
   * Whether somebody with the powers `own` may grant the powers `others` or manage an account that has them. Nobody may
   * grant or manage more than their own powers.
   */
  readonly mayManage: (own: Powers, others: Powers) => boolean;
}

export const administratorsOf = (service: string, needsPassword = false): AccountKind => ({
  service,
  needsPassword,
  toPowers: (standard, { rights = standard.rights, scope = standard.scope }) => ({
    services: null,
    rights: toStoredRights([service], rights),
    scope: toStoredScope(scope),
  }),
  mayManage: (own, others) =>
    runs(own, [service]) && mayGrant(own, others.rights, [service]) && isWithinScope(others.scope, own.scope, {}),
});

export const operatorsOf = (all: readonly string[], dimensions: Dimensions): AccountKind => ({
  service: "platform",
  needsPassword: true,
  toPowers: (standard, { services: given = standard.services, rights = standard.rights, scope = standard.scope }) => {
    const services = toStoredServices(all, given);
    return {
      services,
      rights: toStoredRights(listManagedServices(all, services), rights),
      scope: toStoredScope(scope),
    };
  },
  // Without these conditions, an operator of one service could gain access to all services by creating an operator of
  // all services or by setting such an operator's password.
  mayManage: (own, others) =>
    runs(own, others.services) &&
    mayGrant(own, others.rights, listManagedServices(all, others.services)) &&
    isWithinScope(others.scope, own.scope, dimensions),
});

export const serviceAccountsOf = (services: readonly string[]): AccountKind => ({
  // There is no login for this service, so a service account cannot sign in with a password.
  service: "service-account",
  needsPassword: false,
  // A new service account gets the services and scope of its creator, and a later change of the account keeps them.
  toPowers: (standard, { rights = standard.rights }) => ({
    services: standard.services && [...standard.services],
    rights: listRights(["platform", ...services]).filter((right) => rights?.includes(right)),
    scope: standard.scope,
  }),
  mayManage: (own, others) => {
    const all = listRights(listManagedServices(services, own.services));
    const rights = all.filter((right) => own.rights?.includes(right) ?? true);
    const mayNarrow = isWithinScope(others.scope, own.scope, {});
    return runs(own, others.services) && mayGrant({ ...own, rights }, others.rights, []) && mayNarrow;
  },
});

export type MayManage = (operator: Powers, account: Powers & { readonly service: string }) => boolean;

const runs = (own: Powers, services: Services): boolean =>
  own.services === null || (services?.every((name) => own.services?.includes(name)) ?? false);

export function toStoredServices(all: readonly string[], given: Services): string[] | null {
  const chosen = toWireServices(all, given);
  return chosen.length === all.length ? null : chosen;
}

export const toWireServices = (all: readonly string[], stored: Services): string[] =>
  all.filter((name) => stored === null || stored.includes(name));

const listManagedServices = (all: readonly string[], services: Services): string[] => [
  "platform",
  ...toWireServices(all, services),
];

const weaknesses = {
  length: ["密码长度应为8到128个字符", "a password must have 8 to 128 characters"],
  common: [
    "该密码由常见的词、名字、数字或键盘顺序组成，容易被猜中，请换一个更长的",
    "the password consists of common words, names, numbers or keyboard sequences and is easy to guess; choose a longer one",
  ],
  name: ["密码不能与用户名相同", "a password must not equal the user name"],
} as const;

export async function findPasswordFault(password: string, userName: string) {
  const { findWeakness } = await import("./password-strength.ts");
  const weakness = isPasswordLength(password) ? findWeakness(password, userName) : "length";
  return weakness && weaknesses[weakness];
}

export async function hashNewPassword(field: string, password: string, userName: string): Promise<string> {
  const fault = await findPasswordFault(password, userName);
  if (fault) throw explain("badFormat", `${field}: ${fault[0]}`, `${field}: ${fault[1]}`);
  return hashPassword(password);
}

/**
 * Rejects a name without visible characters. Also rejects a name that looks like an operator's or, if the account is an
 * operator's, like the name of an account of another kind. Checks of the same name wait for each other, so that only
 * one of two concurrent changes can take the name.
 */
export async function refuseTakenName(tx: Db, service: string, userName: string): Promise<void> {
  const nameKey = toNameKey(userName);
  if (nameKey === "") throw explain("badFormat", "userName: 不能为空", "userName: must not be empty");
  await tx`select pg_advisory_xact_lock(hashtextextended(${`account name ${nameKey}`}, 0))`;
  if (await isNameTakenElsewhere(tx, service, userName)) throw new Problem("alreadyExists");
}

export async function getLockedAccount(tx: Db, service: string, id: number): Promise<Account> {
  return found((await lockAccounts(tx, service, [id]))[0]);
}

/**
 * Must be called before accounts are deleted, disabled, demoted or given other services, rights or scope. Rejects the
 * change if it concerns the caller's own account, or would leave no enabled super administrator who has all rights and
 * records and is not managed by the campus sign-on.
 */
export async function refuseLockOut(
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
      "you cannot delete, disable or demote your own account, or change your own rights",
    );
  const losesSuper = accounts.some(
    ({ isSuper, enabled, rights, scope, fromSignOn }) =>
      isSuper && enabled && rights === null && scope === null && !fromSignOn,
  );
  if (losesSuper && (await countOtherSupers(tx, service, ids)) === 0) {
    throw explain(
      "forbidden",
      "至少须保留一个启用的超级管理员",
      "at least one enabled super administrator is required",
    );
  }
}

/**
 * Rejects manual changes to the user name, password, type, rights or services of an account that the campus sign-on
 * manages. A password would still work after the person leaves the university.
 */
export function refuseCampusOwned(account: Account, change: AccountChange): void {
  if (!account.fromSignOn) return;
  const { userName = account.userName, isSuper = account.isSuper } = change;
  const { rights = account.rights, services = account.services, passwordHash } = change;
  const isSame = userName === account.userName && isSuper === account.isSuper && passwordHash === undefined;
  if (isSame && areSameRights(rights, account.rights) && areSameRights(services, account.services)) return;
  throw explain(
    "forbidden",
    "该账号由统一身份认证开通，不能手工修改名称、密码和权限，只能停用或删除",
    "this account is managed by the campus sign-on: its name, password and rights cannot be changed by hand, but it can be disabled or deleted",
  );
}

export const beyondPowers = (): Problem =>
  explain(
    "forbidden",
    "该账号的服务、权限或数据范围超出您自己的范围",
    "the account has services, rights or a data scope beyond your own",
  );
