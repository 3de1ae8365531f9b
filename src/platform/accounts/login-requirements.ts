import { type Caller, isOperator } from "#platform/contract/caller.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import type { SignInSettings } from "#platform/contract/sign-in-settings.ts";
import type { Db } from "#platform/database/index.ts";
import { hashNewPassword } from "./account-rules.ts";
import { type AccountChange, type AccountWithHash, findAccount } from "./account-store.ts";
import { verifyPassword } from "./password.ts";

// A password set by somebody else is known to two people, so after a login to the console the account's owner must
// choose a new password before doing anything else, unless GIVEN_PASSWORD is "keep".

type PasswordChange = Pick<AccountChange, "passwordHash" | "givenHash">;

export const mustChangePassword = ({ GIVEN_PASSWORD }: SignInSettings, caller: Pick<Caller, "mustChoose">): boolean =>
  caller.mustChoose && GIVEN_PASSWORD !== "keep";

export const asGivenPassword = <H extends string | null>(passwordHash: H) => ({
  passwordHash,
  givenHash: passwordHash,
});

/**
 * Hashes the new password, if there is one. The hash is stored as `givenHash` too if the password is for another
 * account, or equals the password that somebody else set for the caller.
 * @throws {Problem} badFormat for an unsuitable password; tooManyRequests if the queue for hashing is full
 */
export async function toPasswordChange(
  db: Db,
  caller: Caller,
  of: { service: string; id: number; userName?: string | undefined; password?: string | undefined },
): Promise<PasswordChange> {
  const { service, id, userName, password } = of;
  if (!password) return {};
  const account = await findAccount(db, id, service);
  const passwordHash = await hashNewPassword("password", password, userName ?? account?.userName ?? "");
  const isOwn = id === caller.accountId && !(await isGiven(password, account));
  return isOwn ? { passwordHash } : asGivenPassword(passwordHash);
}

/**
 * Hashes the caller's new password. A password that was set by somebody else stays marked as given even if its owner
 * chooses it again later.
 * @throws {Problem} badFormat for an unsuitable password, or for the given one if the owner must choose another;
 * tooManyRequests if the queue for hashing is full
 */
export async function toOwnPassword(
  settings: SignInSettings,
  caller: Caller,
  account: AccountWithHash,
  password: string,
): Promise<PasswordChange> {
  const passwordHash = await hashNewPassword("newPassword", password, account.userName);
  if (!(await isGiven(password, account))) return { passwordHash };
  if (mustChangePassword(settings, caller))
    throw explain("badFormat", "newPassword: 不能与初始密码相同", "newPassword: must differ from the initial password");
  return asGivenPassword(passwordHash);
}

const isGiven = async (password: string, account: AccountWithHash | undefined): Promise<boolean> =>
  account?.givenHash != null && verifyPassword(password, account.givenHash, "change");

type Rights = Pick<Caller, "isSuper" | "service">;

type FactorSettings = Omit<SignInSettings, "GIVEN_PASSWORD" | "SEPARATE_DUTIES">;

export const mustHaveFactor = (settings: FactorSettings, { isSuper, service }: Rights): boolean =>
  (settings.SECOND_FACTOR ?? "off") !== "off" &&
  (settings.SECOND_FACTOR_FOR === "everybody" || isSuper || isOperator({ service }));

type Asking = Pick<Endpoint, "own" | "secondFactor" | "choosesPassword">;
type Session = Rights & Pick<Caller, "hasFactor" | "factorAgeSeconds" | "keyId" | "mustChoose">;

/**
 * Whether the caller must verify a second factor, or verify it again, before calling the operation. Before the first
 * verification, a session may call the documented operations, as old front ends do, unless the operation is dangerous
 * or SECOND_FACTOR is "all". Operations outside the interface documents are refused unless their `secondFactor` allows
 * them.
 */
export function lacksFactor(settings: FactorSettings, asking: Asking, caller: Session): boolean {
  const { own, secondFactor, choosesPassword } = asking;
  const { hasFactor, factorAgeSeconds, keyId } = caller;
  // A program has no second factor; its access key can be limited to certain rights and networks instead.
  if (keyId !== undefined) return false;
  if (secondFactor === "later" || (secondFactor === "first" && !hasFactor)) return false;
  // An account must have a password of its own before it can enrol its first factor, so choosing that password needs no
  // factor.
  if (choosesPassword && caller.mustChoose && !hasFactor) return false;
  if (!hasFactor && !mustHaveFactor(settings, caller)) return false;
  const isDangerous = secondFactor !== undefined || (choosesPassword === true && hasFactor);
  if (factorAgeSeconds === null) return settings.SECOND_FACTOR === "all" || own === true || isDangerous;
  return isDangerous && factorAgeSeconds > settings.SECOND_FACTOR_MINUTES * 60;
}

export function toFactorState(settings: SignInSettings, caller: Session) {
  if (caller.keyId !== undefined) return "none";
  if (caller.hasFactor) return caller.factorAgeSeconds === null ? "show" : "shown";
  return mustHaveFactor(settings, caller) ? "enrol" : "none";
}

export function refuseUnmetRequirements(settings: SignInSettings, operation: Asking, caller: Caller): void {
  if (mustChangePassword(settings, caller) && operation.secondFactor !== "later" && !operation.choosesPassword)
    throw new Problem("passwordGiven");
  if (lacksFactor(settings, operation, caller)) throw new Problem("factorNeeded");
}
