import { hash } from "node:crypto";
import { Secret } from "otpauth";
import { countFactors, isVisibleTo } from "#platform/accounts/account-store.ts";
import { auditRefusal, byCaller, writeAudit } from "#platform/accounts/audit.ts";
import { lockedProblem, recordAttempt, toCodeKey } from "#platform/accounts/login.ts";
import { makeLetters } from "#platform/accounts/password.ts";
import { endSessionsOf, markFactorVerified } from "#platform/accounts/session.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { Problem } from "#platform/contract/problem.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import { bindingOf, type SealedColumn } from "#platform/sealing/keyring.ts";

export interface Enrolled {
  readonly id: number;
  readonly recoveryCodes: string[];
}

/**
 * Stores a factor and marks the session as verified. An account's first factor comes with recovery codes. `lockFactors`
 * must have been called in the transaction.
 * @throws {Problem} factorNeeded if the account already has a factor that the session has not verified
 */
export async function enrol(tx: Db, caller: Caller, store: () => Promise<number>): Promise<Enrolled> {
  const isFirst = (await countFactors(tx, caller.accountId)) === 0;
  // Of two concurrent first enrolments, the second must verify the factor of the first.
  if (!isFirst && caller.factorAgeSeconds === null) throw new Problem("factorNeeded");
  const id = await store();
  await markFactorVerified(tx, caller.sessionId);
  return { id, recoveryCodes: isFirst ? await renewRecoveryCodes(tx, caller.accountId) : [] };
}

/**
 * At most this many wrong codes are allowed per account and day. At any time, three of a million codes are valid, so if
 * failures locked an account only for ten minutes, a code could be guessed within weeks.
 */
export const maxPerDay = 30;

interface Verification {
  readonly caller: Caller;
  readonly address: string;
  readonly action: string;
}

type Verdict = { readonly by: "totp" | "recovery" | "passkey" } | Problem;

/**
 * Each attempt is counted before it is answered, and the attempts of one account are counted one after another, so
 * concurrent guesses cannot exceed the limit.
 * @throws {Problem} the problem that `judge` returns, accountLocked, or tokenInvalid if the session ended meanwhile
 */
export async function verifyFactor(
  platform: Pick<Platform, "pool" | "log">,
  { caller, address, action }: Verification,
  judge: (tx: Db) => Promise<Verdict>,
): Promise<void> {
  const entry = { service: caller.service, ...byCaller(caller), action, address };
  const attempt = { nameKey: toCodeKey(caller.accountId), address, operatorId: null, maxPerDay };
  const refused = await inTransaction(platform.pool, async (tx) => {
    const judged = await judge(tx);
    const wrong = judged instanceof Problem;
    const lockedSeconds = await recordAttempt(tx, attempt, wrong ? 0 : 1);
    // Throwing rolls the transaction back, so a code submitted while the account is locked is not consumed.
    if (lockedSeconds > 0) throw lockedProblem(lockedSeconds);
    if (wrong) return judged;
    if (!(await markFactorVerified(tx, caller.sessionId))) throw new Problem("tokenInvalid");
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

export async function resetFactors(tx: Db, accountId: number): Promise<number> {
  await lockFactors(tx, accountId);
  const count = await clearFactors(tx, accountId);
  await endSessionsOf(tx, [accountId]);
  await forgetWrongCodes(tx, accountId);
  return count;
}

export async function forgetWrongCodes(tx: Db, accountId: number): Promise<void> {
  await tx`delete from platform.login_failure where account_key = ${toCodeKey(accountId)}`;
}

// With at least 112 random bits a fast hash suffices (ASVS 6.5.2); a recovery code has 120.

const recoveryCodeCount = 10;
const seedBytes = 20;

/** Treats characters that look alike as equal: o and 0, and l, i and 1. */
function hashRecoveryCode(accountId: number, code: string): Buffer {
  const typed = code
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
    .replaceAll("o", "0")
    .replaceAll(/[il]/g, "1");
  return hash("sha256", `${accountId} ${typed}`, "buffer");
}

export const lockFactors = (tx: Db, accountId: number): Promise<void> =>
  tx.send`select pg_advisory_xact_lock(hashtextextended(${`factors of ${accountId}`}, 0))`;

export const seedColumn: SealedColumn = { table: "platform.factor", key: { id: "bigint" }, column: "seed" };

/** Replaces the unconfirmed seed of the account, if there is one, and returns the new seed in base32. */
export async function insertSeed(tx: Db, accountId: number, name: string): Promise<string> {
  const seed = new Secret({ size: seedBytes }).base32;
  await tx`delete from platform.factor where account_id = ${accountId} and kind = 'totp' and confirmed_at is null`;
  await tx`insert into platform.factor (account_id, kind, name, seed) values (${accountId}, 'totp', ${name}, ${tx.keys.seal(bindingOf(seedColumn), seed)})`;
  return seed;
}

export async function findSeed(db: Db, accountId: number, state: "confirmed" | "begun") {
  const [row] = await db<{ id: number; seed: string }[]>`
    select id, seed from platform.factor
    where account_id = ${accountId} and kind = 'totp' and (confirmed_at is null) = ${state === "begun"}`;
  return row && { ...row, seed: db.keys.open(bindingOf(seedColumn), row.seed) };
}

export async function confirmSeed(tx: Db, accountId: number, id: number, step: number): Promise<void> {
  await tx`delete from platform.factor where account_id = ${accountId} and kind = 'totp' and confirmed_at is not null`;
  await tx`
    update platform.factor set confirmed_at = now(), last_used_at = now(), counter = ${step} where id = ${id}`;
}

export async function clearFactors(tx: Db, accountId: number): Promise<number> {
  await tx`delete from platform.recovery_code where account_id = ${accountId}`;
  return tx.count`delete from platform.factor where account_id = ${accountId} and confirmed_at is not null`;
}

export async function renewRecoveryCodes(tx: Db, accountId: number): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () => makeLetters(24).replaceAll(/(.{4})(?=.)/g, "$1-"));
  const hashes = codes.map((code) => hashRecoveryCode(accountId, code));
  await tx`delete from platform.recovery_code where account_id = ${accountId}`;
  await tx`insert into platform.recovery_code (account_id, code_hash) select ${accountId}, unnest(${hashes}::bytea[])`;
  return codes;
}

export const countRecoveryCodes = (db: Db, accountId: number): Promise<number> =>
  db.value<number>`
    select count(*) as count from platform.recovery_code where account_id = ${accountId} and used_at is null`;

export async function useRecoveryCode(tx: Db, accountId: number, code: string): Promise<boolean> {
  const used = await tx.count`
    update platform.recovery_code set used_at = now()
    where account_id = ${accountId} and code_hash = ${hashRecoveryCode(accountId, code)} and used_at is null`;
  return used === 1;
}

type Holder = { accountId: number; totp: boolean; passkeys: number; recoveryCodes: number };

export const listHolders = (db: Db, caller: Caller, service: string) => db<Holder[]>`
  select account_id as "accountId", bool_or(kind = 'totp') as totp,
    count(*) filter (where kind = 'passkey') as passkeys,
    (select count(*) from platform.recovery_code as code where code.account_id = factor.account_id and used_at is null)
      as "recoveryCodes"
  from platform.factor join platform.account on account.id = account_id
  where service = ${service} and ${isVisibleTo(caller)} and confirmed_at is not null
  group by account_id order by account_id`;
