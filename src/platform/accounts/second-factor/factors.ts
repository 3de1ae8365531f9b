import { Secret, TOTP } from "otpauth";
import { type Account, findAccountById } from "#platform/accounts/account-store.ts";
import { auditRefusal, byCaller, writeAudit } from "#platform/accounts/audit.ts";
import { mustHaveFactor } from "#platform/accounts/login-requirements.ts";
import { type Attempt, lockedProblem, settleAttempt } from "#platform/accounts/login.ts";
import { endSessionsOf, noteFactorShown } from "#platform/accounts/session.ts";
import { type Caller, isOperator } from "#platform/contract/caller.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { coversRights, mayTake } from "#platform/contract/rights.ts";
import type { SecondFactorSettings } from "#platform/contract/second-factor-settings.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { PasskeyShown } from "./contract.ts";
import { type Place, readShown } from "./passkey.ts";
import {
  clearFactors,
  confirmSeed,
  countFactors,
  deleteFactors,
  findSeed,
  insertPasskey,
  insertSeed,
  listPasskeys,
  type NewPasskey,
  renewRecoveryCodes,
  takeChallenge,
  takeFactorTurn,
  usePasskey,
  useRecoveryCode,
  useStep,
} from "./store.ts";

// RFC 6238 as every phone has it: SHA-1, six digits, steps of 30 seconds.

const period = 30;
const seedBytes = 20;
/** One step each way: a phone may be half a minute off, and a code typed slowly is still good. */
const slack = 1;

const open = (seed: string, label = ""): TOTP =>
  new TOTP({ issuer: "Quintet", label, secret: Secret.fromBase32(seed), period });

/** A new seed in base32, as it is typed, and as the address that a QR code holds. */
function makeSeed(label: string): { seed: string; uri: string } {
  const seed = new Secret({ size: seedBytes }).base32;
  return { seed, uri: open(seed, label).toString() };
}

/** The six digits that were typed, spaces left out; undefined: it can be no code. */
function readCode(typed: string): string | undefined {
  const code = typed.replaceAll(/\s/g, "");
  return /^\d{6}$/.test(code) ? code : undefined;
}

/** The step that a code is of; undefined: it is of none that counts now. @param nowMs epoch milliseconds */
function matchCode(seed: string, typed: string, nowMs: number): number | undefined {
  const token = readCode(typed);
  // The library compares bytes, and throws where six characters have more than six.
  if (token === undefined) return undefined;
  const totp = open(seed);
  const delta = totp.validate({ token, timestamp: nowMs, window: slack });
  return delta === null ? undefined : totp.counter({ timestamp: nowMs }) + delta;
}

// Setting second factors up, and taking them away. Of one account it happens one after the other.

const mostPasskeys = 20;

export interface Enrolled {
  readonly id: number;
  readonly recoveryCodes: string[];
}

/** A seed that holds once its first code has come. */
export async function beginTotp(tx: Db, caller: Caller, name: string): Promise<{ secret: string; uri: string }> {
  await takeFactorTurn(tx, caller.accountId);
  const { seed, uri } = makeSeed(caller.userName);
  await insertSeed(tx, caller.accountId, name, seed);
  return { secret: seed, uri };
}

/** Gives a new account one-time codes without its owner, for the demonstration. */
export async function addSeed(tx: Db, { id, userName }: { id: number; userName: string }): Promise<{ secret: string }> {
  const { seed } = makeSeed(userName);
  await insertSeed(tx, id, "phone", seed);
  const begun = await findSeed(tx, id, "begun");
  if (begun) await confirmSeed(tx, id, begun, 0);
  return { secret: seed };
}

/** @throws {Problem} notAllowedNow when none was begun, factorWrong. */
export async function confirmTotp(tx: Db, caller: Caller, code: string, nowMs: number): Promise<Enrolled> {
  await takeFactorTurn(tx, caller.accountId);
  const begun = await findSeed(tx, caller.accountId, "begun");
  if (!begun) throw explain("notAllowedNow", "没有待确认的验证器", "no secret waits for its first code");
  const step = matchCode(begun.seed, code, nowMs);
  if (step === undefined) throw wrongCode();
  return enrol(tx, caller, async () => {
    await confirmSeed(tx, caller.accountId, begun, step);
    return begun.id;
  });
}

/** @throws {Problem} notAllowedNow for too many. */
export async function addPasskey(tx: Db, caller: Caller, passkey: NewPasskey): Promise<Enrolled> {
  await takeFactorTurn(tx, caller.accountId);
  if ((await countFactors(tx, caller.accountId)) >= mostPasskeys)
    throw explain("notAllowedNow", `最多 ${mostPasskeys} 个`, `there are ${mostPasskeys} already`);
  return enrol(tx, caller, () => insertPasskey(tx, caller.accountId, passkey));
}

/** With the first factor come recovery codes. Whoever has just set one up has shown it. */
async function enrol(tx: Db, caller: Caller, store: () => Promise<number>): Promise<Enrolled> {
  const isFirst = (await countFactors(tx, caller.accountId)) === 0;
  // Two that begin at once as the first: the second must show what the first has set up.
  if (!isFirst && caller.factorAgeSeconds === null) throw new Problem("factorNeeded");
  const id = await store();
  await noteFactorShown(tx, caller.sessionId);
  return { id, recoveryCodes: isFirst ? await renewRecoveryCodes(tx, caller.accountId) : [] };
}

/** @throws {Problem} notFound; notAllowedNow for the last one of an account that must have one. */
export async function removeFactor(tx: Db, settings: SecondFactorSettings, caller: Caller, id: number): Promise<void> {
  await takeFactorTurn(tx, caller.accountId);
  const removed = await deleteFactors(tx, caller.accountId, [id]);
  if (removed.length === 0) throw new Problem("notFound");
  if ((await countFactors(tx, caller.accountId)) > 0) return;
  if (mustHaveFactor(settings, caller))
    throw explain(
      "notAllowedNow",
      "此账号必须保留一种两步验证方式，请先添加另一种",
      "the account must have a second factor: add another one first",
    );
  await clearFactors(tx, caller.accountId);
}

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
