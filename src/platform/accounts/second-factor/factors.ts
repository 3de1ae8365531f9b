import { auditRefusal, byCaller, writeAudit } from "#platform/accounts/audit.ts";
import { lockedProblem, settleAttempt } from "#platform/accounts/login.ts";
import { endSessionsOf, noteFactorShown } from "#platform/accounts/session.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { Problem } from "#platform/contract/problem.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import { clearFactors, countFactors, renewRecoveryCodes, takeFactorTurn } from "./store.ts";

// What holds for second factors of every kind.

export interface Enrolled {
  readonly id: number;
  readonly recoveryCodes: string[];
}

/** With the first factor come recovery codes. Whoever has just set one up has shown it. The caller has the factors' turn. */
export async function enrol(tx: Db, caller: Caller, store: () => Promise<number>): Promise<Enrolled> {
  const isFirst = (await countFactors(tx, caller.accountId)) === 0;
  // Two that begin at once as the first: the second must show what the first has set up.
  if (!isFirst && caller.factorAgeSeconds === null) throw new Problem("factorNeeded");
  const id = await store();
  await noteFactorShown(tx, caller.sessionId);
  return { id, recoveryCodes: isFirst ? await renewRecoveryCodes(tx, caller.accountId) : [] };
}

/**
 * Wrong codes lock as wrong passwords do, but are counted by themselves: a right password, which forgets the wrong ones,
 * would otherwise buy five codes more. The name is none that an account can have, as those are in small letters. Nobody
 * is spared the lock of fifty, since only who knows the password gets so far.
 */
const toNameKey = (accountId: number): string => `FACTOR ${accountId}`;

interface Showing {
  readonly caller: Caller;
  readonly address: string;
  /** The operation, for the audit log. */
  readonly action: string;
}

type Judged = { readonly by: "totp" | "recovery" | "passkey" } | Problem;

/**
 * Shows a session's second factor. Each try is one transaction, in which the tries of an account run one after the other:
 * a code is good once however many bring it, and guesses are counted before any is answered.
 * @throws {Problem} what `judge` says, accountLocked, tokenInvalid when the session has ended meanwhile.
 */
export async function show(
  platform: Pick<Platform, "pool" | "log">,
  { caller, address, action }: Showing,
  judge: (tx: Db) => Promise<Judged>,
): Promise<void> {
  const entry = { service: caller.service, ...byCaller(caller), action, address };
  const attempt = { nameKey: toNameKey(caller.accountId), address, operatorId: null };
  const refused = await inTransaction(platform.pool, async (tx) => {
    const judged = await judge(tx);
    const wrong = judged instanceof Problem;
    const lockedSeconds = await settleAttempt(tx, attempt, !wrong);
    // Thrown, and not returned: a code that came too late to be looked at is not used up.
    if (lockedSeconds > 0) throw lockedProblem(lockedSeconds);
    if (wrong) return judged;
    if (!(await noteFactorShown(tx, caller.sessionId))) throw new Problem("tokenInvalid");
    await writeAudit(tx, { ...entry, outcome: "done", detail: { by: judged.by } });
    return undefined;
  }).catch((error: unknown) => {
    if (error instanceof Problem && error.problem === "accountLocked") return error;
    throw error;
  });
  if (!refused) return;
  await auditRefusal(platform, { ...entry, outcome: "failed", detail: { problem: refused.message } });
  throw refused;
}

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
  await tx`delete from platform.login_failure where account_key = ${toNameKey(accountId)}`;
}
