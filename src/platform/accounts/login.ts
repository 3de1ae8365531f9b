import { type Account, findForLogin, holdAccount } from "#platform/accounts/account-store.ts";
import { auditRefusal, writeAudit } from "#platform/accounts/audit.ts";
import { findLockSeconds, lockedProblem, settleAttempt, toAttempt } from "#platform/accounts/lockout.ts";
import { verifyPassword } from "#platform/accounts/password.ts";
import { startSession } from "#platform/accounts/session.ts";
import { Problem } from "#platform/contract/problem.ts";
import { inTransaction } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";

export interface LoginAttempt {
  /** Its name; "platform" for operators. */
  readonly service: string;
  readonly userName: string;
  readonly password: string;
  readonly address: string;
  readonly userAgent: string;
  readonly tokenHours: number;
}

type LoginPlatform = Pick<Platform, "pool" | "log">;

export interface LoggedIn {
  readonly account: Account;
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expireTime: number;
}

/**
 * Signs an administrator of the service, or an operator, in.
 * @throws {Problem} loginFailed alike for an unknown account, a wrong password and a disabled account; accountLocked;
 *   forbidden for an operator who does not run the service.
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
    const session = await startSession(tx, {
      accountId: account.id,
      address: attempt.address,
      userAgent: attempt.userAgent,
      hours: attempt.tokenHours,
    });
    await writeAudit(tx, { ...describe(attempt), accountId: account.id, outcome: "done" });
    return { account, ...session };
  });
  return result instanceof Problem ? refuse(by, attempt, result) : result;
}

const runs = ({ service, services }: Account, wanted: string): boolean =>
  service !== "platform" || wanted === "platform" || services === null || services.includes(wanted);

const describe = ({ service, userName, address }: LoginAttempt) => ({
  service,
  userName: userName.slice(0, 255),
  action: "login",
  address,
});

async function refuse(by: LoginPlatform, attempt: LoginAttempt, problem: Problem): Promise<never> {
  const outcome = problem.problem === "forbidden" ? "refused" : "failed";
  await auditRefusal(by, { ...describe(attempt), outcome, detail: { problem: problem.problem } });
  throw problem;
}
