import { type Caller, isOperator } from "#platform/contract/caller.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import type { SignInSettings } from "#platform/contract/sign-in-settings.ts";
import type { Db } from "#platform/database/index.ts";
import { hashNewPassword } from "./account-rules.ts";
import { type AccountChange, type AccountWithHash, findAccount } from "./account-store.ts";
import { verifyPassword } from "./password.ts";

// A password that somebody else has set is known to two: it is good for choosing the next one.

type PasswordChange = Pick<AccountChange, "passwordHash" | "givenHash">;

/** Whether the session has to choose a password before it is good for anything else. */
export const mustChangePassword = ({ GIVEN_PASSWORD }: SignInSettings, caller: Pick<Caller, "mustChoose">): boolean =>
  caller.mustChoose && GIVEN_PASSWORD !== "keep";

/** The password that one account gives another, as it is stored. */
export const asGivenPassword = <H extends string | null>(passwordHash: H) => ({
  passwordHash,
  givenHash: passwordHash,
});

/**
 * What a change of an account stores where it has a password, which is given unless the account is the caller's own.
 * @throws {Problem} badFormat for the password.
 */
export async function toPasswordChange(
  db: Db,
  caller: Caller,
  of: { service: string; id: number; userName?: string | undefined; password?: string | undefined },
): Promise<PasswordChange> {
  const { service, id, userName, password } = of;
  if (!password) return {};
  // None is found out by the change itself.
  const account = await findAccount(db, id, service);
  const passwordHash = await hashNewPassword("password", password, userName ?? account?.userName ?? "");
  const isOwn = id === caller.accountId && !(await isGiven(password, account));
  return isOwn ? { passwordHash } : asGivenPassword(passwordHash);
}

/**
 * What one's own next password is stored as: the given one stays a given one, however often its owner comes back to it.
 * @throws {Problem} badFormat for the password, and for the given one where another has to be chosen.
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
    throw explain(
      "badFormat",
      "newPassword: 不能继续使用初始密码，请换一个",
      "newPassword: this is the password that was given to you; choose another",
    );
  return asGivenPassword(passwordHash);
}

const isGiven = async (password: string, account: AccountWithHash | undefined): Promise<boolean> =>
  account?.givenHash != null && verifyPassword(password, account.givenHash, "change");

type Rights = Pick<Caller, "isSuper" | "service">;

type FactorSettings = Omit<SignInSettings, "GIVEN_PASSWORD" | "SEPARATE_DUTIES">;

/** Whether the account must have a second factor, by the settings. */
export const mustHaveFactor = (settings: FactorSettings, { isSuper, service }: Rights): boolean =>
  (settings.SECOND_FACTOR ?? "off") !== "off" &&
  (settings.SECOND_FACTOR_FOR === "everybody" || isSuper || isOperator({ service }));

type Asking = Pick<Endpoint, "own" | "secondFactor" | "choosesPassword">;
type Session = Rights & Pick<Caller, "hasFactor" | "factorAgeSeconds" | "keyId" | "mustChoose">;

/**
 * Whether the caller has to show a second factor before the operation. A session that was opened by a password alone may
 * call what the interface documents have, as old front ends do, unless it is dangerous or SECOND_FACTOR is "all";
 * what only the console calls, it may not.
 */
export function lacksFactor(settings: FactorSettings, asking: Asking, caller: Session): boolean {
  const { own, secondFactor, choosesPassword } = asking;
  const { hasFactor, factorAgeSeconds, keyId } = caller;
  // A program has no phone: its key is narrowed to what it does, and to networks.
  if (keyId !== undefined) return false;
  if (secondFactor === "later" || (secondFactor === "first" && !hasFactor)) return false;
  // The first one is set up with a password of one's own, which nobody could choose otherwise.
  if (choosesPassword && caller.mustChoose && !hasFactor) return false;
  if (!hasFactor && !mustHaveFactor(settings, caller)) return false;
  const isDangerous = secondFactor !== undefined || (choosesPassword === true && hasFactor);
  if (factorAgeSeconds === null) return settings.SECOND_FACTOR === "all" || own === true || isDangerous;
  return isDangerous && factorAgeSeconds > settings.SECOND_FACTOR_MINUTES * 60;
}

/** What a console does next: nothing, have the person set one up, or have them show it. */
export function toFactorState(settings: SignInSettings, caller: Session) {
  if (caller.keyId !== undefined) return "none";
  if (caller.hasFactor) return caller.factorAgeSeconds === null ? "show" : "shown";
  return mustHaveFactor(settings, caller) ? "enrol" : "none";
}

/**
 * Refuses an operation to a session for which something has to be done first.
 * @throws {Problem} passwordGiven, factorNeeded
 */
export function refuseUnmetRequirements(settings: SignInSettings, operation: Asking, caller: Caller): void {
  if (mustChangePassword(settings, caller) && operation.secondFactor !== "later" && !operation.choosesPassword)
    throw new Problem("passwordGiven");
  if (lacksFactor(settings, operation, caller)) throw new Problem("factorNeeded");
}
