import { auditRefusal, byCaller, writeAudit } from "#platform/accounts/audit.ts";
import { type Attempt, lockedProblem, settleAttempt } from "#platform/accounts/lockout.ts";
import { noteFactorShown } from "#platform/accounts/session.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { PasskeyShown } from "./contract.ts";
import { type Place, readShown } from "./passkey.ts";
import { findSeed, listPasskeys, takeChallenge, usePasskey, useRecoveryCode, useStep } from "./store.ts";
import { matchCode, readCode } from "./totp.ts";

// A session shows its second factor. Each try is one transaction, in which the tries of an account run one after the
// other: a code is good once however many bring it, and guesses are counted before any is answered.

/**
 * Wrong codes lock as wrong passwords do, but are counted by themselves: a right password, which forgets the wrong ones,
 * would otherwise buy five codes more. The name is none that an account can have, as those are in small letters. Nobody
 * is spared the lock of fifty, since only who knows the password gets so far.
 */
export const toFactorAttempt = (accountId: number, address: string): Attempt => ({
  nameKey: `FACTOR ${accountId}`,
  address,
  operatorId: null,
});

export interface Showing {
  readonly caller: Caller;
  readonly address: string;
  /** The operation, for the audit log. */
  readonly action: string;
}

/** What was shown, or why it is not taken. */
type Judged = { readonly by: "totp" | "recovery" | "passkey" } | Problem;

type ShowPlatform = Pick<Platform, "pool" | "log" | "clock">;

/** @throws {Problem} what `judge` says, accountLocked, tokenInvalid when the session has ended meanwhile. */
async function show(platform: ShowPlatform, showing: Showing, judge: (tx: Db) => Promise<Judged>): Promise<void> {
  const { caller, address, action } = showing;
  const entry = { service: caller.service, ...byCaller(caller), action, address };
  const refused = await inTransaction(platform.pool, async (tx) => {
    const judged = await judge(tx);
    const wrong = judged instanceof Problem;
    const lockedSeconds = await settleAttempt(tx, toFactorAttempt(caller.accountId, address), !wrong);
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

/** @param code six digits, or a recovery code */
export const showCode = (platform: ShowPlatform, showing: Showing, code: string): Promise<void> =>
  show(platform, showing, (tx) => {
    const { accountId } = showing.caller;
    return readCode(code) === undefined
      ? judgeRecovery(tx, accountId, code)
      : judgeCode(tx, accountId, code, platform.clock());
  });

async function judgeRecovery(tx: Db, accountId: number, code: string): Promise<Judged> {
  if (await useRecoveryCode(tx, accountId, code)) return { by: "recovery" };
  return explain("factorWrong", "恢复码错误或已使用", "the recovery code is wrong or was used before");
}

async function judgeCode(tx: Db, accountId: number, code: string, nowMs: number): Promise<Judged> {
  const row = await findSeed(tx, accountId, "confirmed");
  const step = row && matchCode(row.seed, code, nowMs);
  if (!row || step === undefined) return wrongCode();
  if (await useStep(tx, row.id, step)) return { by: "totp" };
  return explain("factorWrong", "该验证码已使用过，请等待下一个", "the code was used before: wait for the next one");
}

export const wrongCode = (): Problem => explain("factorWrong", "验证码错误", "the code is wrong");

export const challengeGone = (): Problem =>
  explain("notAllowedNow", "验证请求已失效，请重新开始", "what was to be signed is no longer valid: begin again");

/** @throws {Problem} notAllowedNow for a challenge that is used up, of another session, or older than five minutes. */
export async function showPasskey(
  platform: ShowPlatform,
  showing: Showing,
  { shown, place }: { readonly shown: PasskeyShown; readonly place: Place },
): Promise<void> {
  const { pool, log } = platform;
  const { accountId, sessionId } = showing.caller;
  const challenge = await takeChallenge(pool, sessionId, "show");
  if (challenge === undefined) throw challengeGone();
  const passkeys = await listPasskeys(pool, accountId, place.rpId);
  const passkey = passkeys.find(({ credentialId }) => credentialId === shown.response.id);
  const read = passkey ? await readShown(shown, place, { challenge, passkey }) : { why: "no passkey of the account" };
  await show(platform, showing, async (tx) => {
    if (passkey && "counter" in read) {
      if (await usePasskey(tx, passkey.id, read.counter)) return { by: "passkey" };
      log.warn({ accountId, factor: passkey.id }, "a passkey counted backwards: it may have been copied");
      return countedBackwards();
    }
    log.info({ accountId, why: "why" in read ? read.why : "" }, "a passkey was not accepted");
    return explain("factorWrong", "通行密钥未通过验证", "the passkey was not accepted");
  });
}

const countedBackwards = (): Problem =>
  explain(
    "factorWrong",
    "该通行密钥的计数倒退，可能已被复制；请改用其他方式验证，并删除它",
    "this passkey counted backwards, as a copy of it would: use another way, and remove it",
  );
