import type { Caller, Duty } from "#platform/contract/caller.ts";
import { isPasswordLength } from "#platform/contract/password-length.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
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

// Who has an account: the administrators of a service, the operators of the platform, and service accounts, which programs
// call as. Everything about them is done alike (manage-accounts.ts), but for what stands here.

// Inside, the services of an operator are a list, or null for all; on the wire they are always a list.
type Services = readonly string[] | null;

/** What somebody may do where: the services that they run, and the rights to which that is narrowed. */
export interface Powers {
  readonly services: Services;
  readonly rights: Rights;
  /** To which records of these services. */
  readonly scope: Scope;
  /** Of one who calls, where duties are separated. */
  readonly duty?: Duty;
}

export type GivenPowers = { readonly [P in "services" | "rights" | "scope"]?: Powers[P] | undefined };

export interface AccountKind {
  /** What their rows have for their service. */
  readonly service: string;
  readonly needsPassword: boolean;
  /** What is stored of the powers that are given; those that are not are the standard's. */
  readonly toPowers: (standard: Powers, given: GivenPowers) => Powers;
  /** Whether somebody may make, change or remove one of such powers: nobody gives more than they have. */
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
  // Rights at a service that is no longer run go with it.
  toPowers: (standard, { services: given = standard.services, rights = standard.rights, scope = standard.scope }) => {
    const services = toStoredServices(all, given);
    return {
      services,
      rights: toStoredRights(listManagedServices(all, services), rights),
      scope: toStoredScope(scope),
    };
  },
  // Without this rule an operator of one service could run all, by making an operator or by setting the password of one.
  mayManage: (own, others) =>
    runs(own, others.services) &&
    mayGrant(own, others.rights, listManagedServices(all, others.services)) &&
    isWithinScope(others.scope, own.scope, dimensions),
});

export const serviceAccountsOf = (services: readonly string[]): AccountKind => ({
  // What service accounts have for their service: no login asks for it, so nobody signs in with a password.
  service: "service-account",
  needsPassword: false,
  // Whose maker does not run every service has them see no more either.
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

/** Whether an operator may manage that account, of whichever kind, and so end its sessions. */
export type MayManage = (operator: Powers, account: Powers & { readonly service: string }) => boolean;

const runs = (own: Powers, services: Services): boolean =>
  own.services === null || (services?.every((name) => own.services?.includes(name)) ?? false);

/** All of those that there are mean unrestricted: without repetition, in the order of the listing. */
export function toStoredServices(all: readonly string[], given: Services): string[] | null {
  const chosen = toWireServices(all, given);
  return chosen.length === all.length ? null : chosen;
}

export const toWireServices = (all: readonly string[], stored: Services): string[] =>
  all.filter((name) => stored === null || stored.includes(name));

/** The services at which an operator can have rights: those that he runs, and the platform. */
const listManagedServices = (all: readonly string[], services: Services): string[] => [
  "platform",
  ...toWireServices(all, services),
];

// The rules for accounts of every kind.

const weaknesses = {
  length: ["密码长度应为8到128个字符", "a password has 8 to 128 characters"],
  common: [
    "该密码由常见的词、名字、数字或键盘顺序组成，容易被猜中，请换一个更长的",
    "it is made of common words, names, numbers or keys beside each other, which are guessed first; choose a longer one",
  ],
  name: ["密码不能与用户名相同", "a password must not be the user name"],
} as const;

/** Why somebody may not have the password, for people; undefined where they may. */
export async function findPasswordFault(password: string, userName: string) {
  // Loaded when the first password is chosen: the lists cost 300 ms and 60 MB, which most processes never need.
  const { findWeakness } = await import("./password-strength.ts");
  const weakness = isPasswordLength(password) ? findWeakness(password, userName) : "length";
  return weakness && weaknesses[weakness];
}

/** The hash of somebody's next password. @throws {Problem} badFormat, naming the field. */
export async function hashNewPassword(field: string, password: string, userName: string): Promise<string> {
  const fault = await findPasswordFault(password, userName);
  if (fault) throw explain("badFormat", `${field}: ${fault[0]}`, `${field}: ${fault[1]}`);
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
      "one cannot delete, disable or demote oneself, nor change one's own rights",
    );
  const losesSuper = accounts.some(
    ({ isSuper, enabled, rights, scope, fromSignOn }) =>
      isSuper && enabled && rights === null && scope === null && !fromSignOn,
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
