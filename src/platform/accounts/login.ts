import { type Account, findForLogin, holdAccount } from "#platform/accounts/account-store.ts";
import { auditRefusal, writeAudit } from "#platform/accounts/audit.ts";
import { hasGivenPassword } from "#platform/accounts/given-password.ts";
import { findLockSeconds, lockedProblem, settleAttempt, toAttempt } from "#platform/accounts/lockout.ts";
import { type PasswordSettings, refusePassword } from "#platform/accounts/password-login.ts";
import { verifyPassword } from "#platform/accounts/password.ts";
import { refusesPasswordAlone } from "#platform/accounts/second-factor/rules.ts";
import { countFactors } from "#platform/accounts/second-factor/store.ts";
import { startSession } from "#platform/accounts/session.ts";
import type { GivenPasswordSettings } from "#platform/contract/password-settings.ts";
import { Problem, type ProblemName } from "#platform/contract/problem.ts";
import type { SecondFactorSettings } from "#platform/contract/second-factor-settings.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";

export interface LoginAttempt {
  /** Its name; "platform" for operators. */
  readonly service: string;
  readonly userName: string;
  readonly password: string;
  readonly address: string;
  readonly userAgent: string;
  readonly tokenHours: number;
  /** The caller will have a password chosen and a second factor shown, where they are asked for. */
  readonly secondFactor?: "later" | undefined;
}

interface LoginPlatform extends Pick<Platform, "pool" | "log"> {
  readonly settings: PasswordSettings & SecondFactorSettings & GivenPasswordSettings;
}

export interface LoggedIn {
  readonly account: Account;
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expireTime: number;
}

/**
 * Signs an administrator of the service, or an operator, in.
 * @throws {Problem} loginFailed alike for an unknown account, a wrong password and a disabled account; accountLocked;
 *   forbidden for an operator who does not run the service, and for who must sign on by the campus; passwordGiven and
 *   factorNeeded where such a password, or one alone, opens nothing.
 */
export async function login(by: LoginPlatform, attempt: LoginAttempt): Promise<LoggedIn> {
  const { pool } = by;
  const account = await findForLogin(pool, attempt.service, attempt.userName);
  const tried = toAttempt(attempt.userName, attempt.address, account);
  const locked = await findLockSeconds(pool, tried);
  if (locked > 0) return refuse(by, attempt, lockedProblem(locked));
  const matches = await verifyPassword(attempt.password, account?.passwordHash, "login");
  const succeeded = matches && account?.enabled === true;
  const result = await inTransaction(pool, async (tx): Promise<LoggedIn | Problem> => {
    const lockedMeanwhile = await settleAttempt(tx, tried, succeeded);
    if (lockedMeanwhile > 0) return lockedProblem(lockedMeanwhile);
    if (!account || !succeeded || !(await holdAccount(tx, account))) return new Problem("loginFailed");
    if (!runs(account, attempt.service)) return new Problem("forbidden");
    const refused = refusePassword(by.settings, account);
    if (refused) return refused;
    const takesSteps = attempt.secondFactor === "later";
    const isGiven = hasGivenPassword(account);
    if (!takesSteps && isGiven && by.settings.GIVEN_PASSWORD === "all") return new Problem("passwordGiven");
    if (!takesSteps && (await asksForFactor(tx, by.settings, account))) return new Problem("factorNeeded");
    const session = await startSession(tx, {
      accountId: account.id,
      address: attempt.address,
      userAgent: attempt.userAgent,
      hours: attempt.tokenHours,
      mustChoose: takesSteps && isGiven,
    });
    await writeAudit(tx, { ...describe(attempt), accountId: account.id, outcome: "done" });
    return { account, ...session };
  });
  return result instanceof Problem ? refuse(by, attempt, result) : result;
}

const runs = ({ service, services }: Account, wanted: string): boolean =>
  service !== "platform" || wanted === "platform" || services === null || services.includes(wanted);

const asksForFactor = async (tx: Db, settings: SecondFactorSettings, account: Account): Promise<boolean> =>
  settings.SECOND_FACTOR === "all" &&
  refusesPasswordAlone(settings, { ...account, hasFactor: (await countFactors(tx, account.id)) > 0 });

const describe = ({ service, userName, address }: LoginAttempt) => ({
  service,
  userName: userName.slice(0, 255),
  action: "login",
  address,
});

/** The password was right. */
const loginRefusals: ReadonlySet<ProblemName> = new Set(["forbidden", "passwordGiven", "factorNeeded"]);

async function refuse(by: LoginPlatform, attempt: LoginAttempt, problem: Problem): Promise<never> {
  const outcome = loginRefusals.has(problem.problem) ? "refused" : "failed";
  await auditRefusal(by, { ...describe(attempt), outcome, detail: { problem: problem.problem } });
  throw problem;
}
