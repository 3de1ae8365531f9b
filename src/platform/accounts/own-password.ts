import { type AccountWithHash, findAccount, holdAccount, updateAccount } from "#platform/accounts/account-store.ts";
import { auditRefusal, byCaller } from "#platform/accounts/audit.ts";
import { toOwnPassword } from "#platform/accounts/given-password.ts";
import { decryptPassword, unreadable } from "#platform/accounts/key-pair.ts";
import { findLockSeconds, lockedProblem, settleAttempt, toAttempt } from "#platform/accounts/lockout.ts";
import { verifyPassword } from "#platform/accounts/password.ts";
import { endSessionsOf } from "#platform/accounts/session.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { type Db, inTransaction, type Pool } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";

/** What is needed of the call. */
interface PasswordCall {
  /** Both passwords are encrypted with the public key, in base64. */
  readonly body: { readonly id: number; readonly password: string; readonly newPassword: string };
  readonly caller: Caller;
  readonly address: string;
  readonly audit: { records: (string | number)[] };
  readonly transact: (work: (tx: Db) => Promise<string>) => Promise<string>;
}

/**
 * Changes the caller's own password and ends every session of the account. A wrong old password counts like a failed
 * login: whoever found an open session must not get more guesses than anybody else.
 * @throws {Problem} forbidden for another's id, accountLocked, notAllowedNow for a wrong old password, badFormat.
 */
export async function changeOwnPassword(platform: Platform, service: string, call: PasswordCall): Promise<string> {
  const { body, caller, audit, transact } = call;
  if (body.id !== caller.accountId)
    throw explain("forbidden", "只能修改自己的密码", "only one's own password can be changed");
  const account = await findAccount(platform.pool, caller.service, caller.accountId);
  if (!account) throw new Problem("tokenInvalid");
  const [old = "", next = ""] = [body.password, body.newPassword].map((text) =>
    decryptPassword(platform.privateKey, text),
  );
  // A new one that cannot be decrypted must look like a wrong old one.
  const problem = await findObjection(platform.pool, account, next === unreadable ? next : old, call.address);
  if (problem) {
    const detail = { problem: problem.problem };
    const entry = { service, ...byCaller(caller), action: "updatePassword", address: call.address };
    await auditRefusal(platform, { ...entry, outcome: "failed", detail });
    throw problem;
  }
  const change = await toOwnPassword(platform.settings, caller, account, next);
  audit.records = [account.id];
  return transact(async (tx) => {
    if (!(await holdAccount(tx, account))) throw new Problem("tokenInvalid");
    await updateAccount(tx, account.id, change);
    await endSessionsOf(tx, [account.id]);
    return "1";
  });
}

/** Why the old password does not open the way to another one: it is wrong, or was so too often. */
async function findObjection(
  pool: Pool,
  account: AccountWithHash,
  password: string,
  address: string,
): Promise<Problem | undefined> {
  const attempt = toAttempt(account.userName, address, account);
  const locked = await findLockSeconds(pool, attempt);
  if (locked > 0) return lockedProblem(locked);
  const matches = await verifyPassword(password, account.passwordHash, "change");
  const lockedMeanwhile = await inTransaction(pool, (tx) => settleAttempt(tx, attempt, matches));
  if (lockedMeanwhile > 0) return lockedProblem(lockedMeanwhile);
  return matches ? undefined : explain("notAllowedNow", "原密码错误", "the old password is wrong");
}
