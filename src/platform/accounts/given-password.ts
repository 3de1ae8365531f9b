import { type AccountChange, type AccountWithHash, findAccount } from "#platform/accounts/account-store.ts";
import { hashNew } from "#platform/accounts/account-rules.ts";
import { verifyPassword } from "#platform/accounts/password.ts";
import type { Caller } from "#platform/contract/caller.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { GivenPasswordSettings } from "#platform/contract/password-settings.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";

// A password that somebody else has set is known to two: it is good for choosing the next one.

type Passwords = Pick<AccountWithHash, "passwordHash" | "givenHash">;
type PasswordChange = Pick<AccountChange, "passwordHash" | "givenHash">;

export const hasGivenPassword = ({ passwordHash, givenHash }: Passwords): boolean =>
  passwordHash !== null && passwordHash === givenHash;

/** Whether the session has to choose a password before it is good for anything else. */
export const mustChoose = (
  { GIVEN_PASSWORD }: GivenPasswordSettings,
  { mustChoose: isOpenedByGiven }: Pick<Caller, "mustChoose">,
): boolean => isOpenedByGiven && GIVEN_PASSWORD !== "keep";

/** @throws {Problem} passwordGiven where the session has to choose a password before the operation. */
export function refuseGiven(
  settings: GivenPasswordSettings,
  { secondFactor, choosesPassword }: Pick<Endpoint, "secondFactor" | "choosesPassword">,
  caller: Pick<Caller, "mustChoose">,
): void {
  if (mustChoose(settings, caller) && secondFactor !== "later" && !choosesPassword) throw new Problem("passwordGiven");
}

/** The password that one account gives another, as it is stored. */
export const toGiven = <H extends string | null | undefined>(passwordHash: H): { passwordHash: H; givenHash: H } => ({
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
  {
    service,
    id,
    userName,
    password,
  }: { service: string; id: number; userName?: string | undefined; password?: string | undefined },
): Promise<PasswordChange> {
  if (password === undefined || password === "") return {};
  // None is found out by the change itself.
  const account = await findAccount(db, service, id);
  const passwordHash = await hashNew("password", password, userName ?? account?.userName ?? "");
  const isOwn = id === caller.accountId && !(await isGiven(password, account));
  return isOwn ? { passwordHash } : toGiven(passwordHash);
}

/**
 * What one's own next password is stored as: the given one stays a given one, however often its owner comes back to it.
 * @throws {Problem} badFormat for the password, and for the given one where another has to be chosen.
 */
export async function toOwnPassword(
  settings: GivenPasswordSettings,
  caller: Caller,
  account: AccountWithHash,
  password: string,
): Promise<PasswordChange> {
  const passwordHash = await hashNew("newPassword", password, account.userName);
  if (!(await isGiven(password, account))) return { passwordHash };
  if (mustChoose(settings, caller))
    throw explain(
      "badFormat",
      "newPassword: 不能继续使用初始密码，请换一个",
      "newPassword: this is the password that was given to you; choose another",
    );
  return toGiven(passwordHash);
}

const isGiven = async (password: string, account: AccountWithHash | undefined): Promise<boolean> =>
  account?.givenHash != null && verifyPassword(password, account.givenHash, "change");
