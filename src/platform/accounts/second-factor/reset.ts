import { type Account, findAccountById } from "#platform/accounts/account-store.ts";
import { endSessionsOf } from "#platform/accounts/session.ts";
import { type Caller, isOperator } from "#platform/contract/caller.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { coversRights, mayTake } from "#platform/contract/rights.ts";
import type { Db } from "#platform/database/index.ts";
import { toFactorAttempt } from "./verify-factor.ts";
import { clearFactors, takeFactorTurn } from "./store.ts";

/** Whether an operator may manage that account, which is for the operators to say. */
export type MayManage = (operator: Caller, account: Account) => boolean;

/** The second factors of the account are gone, and so are its sessions and the locks of wrong codes. */
export async function resetFactors(tx: Db, accountId: number): Promise<number> {
  await takeFactorTurn(tx, accountId);
  const count = await clearFactors(tx, accountId);
  await endSessionsOf(tx, [accountId]);
  await forgetWrongCodes(tx, accountId);
  return count;
}

/** Ends every lock that wrong codes have brought. */
export async function forgetWrongCodes(tx: Db, accountId: number): Promise<void> {
  await tx`delete from platform.login_failure where account_key = ${toFactorAttempt(accountId, "").nameKey}`;
}

const isSuperOver = (caller: Caller, { service, rights }: Account): boolean =>
  caller.isSuper && caller.service === service && coversRights(caller.rights, rights, [service]);

/**
 * Takes another's second factors away, whose phone is lost. Who may: an operator for whom they may manage, a super
 * administrator for the administrators of the service.
 * @throws {Problem} notFound for an account that is not there or has none, forbidden for oneself too.
 */
export async function resetFactorsOf(
  tx: Db,
  caller: Caller,
  id: number,
  mayManage: MayManage,
): Promise<{ userName: string }> {
  const account = await findAccountById(tx, id);
  if (!account) throw new Problem("notFound");
  if (id === caller.accountId)
    throw explain("forbidden", "不能重置自己的两步验证", "one's own second factor is removed, not reset");
  const may = isOperator(caller) ? mayManage(caller, account) : isSuperOver(caller, account);
  if (!may || !mayTake(caller, account.service, "write")) throw new Problem("forbidden");
  if ((await resetFactors(tx, id)) === 0) throw new Problem("notFound");
  return account;
}
