import { hash } from "node:crypto";
import { Secret } from "otpauth";
import { makeLetters } from "#platform/accounts/password.ts";
import type { Db } from "#platform/database/index.ts";
import { placeOf, type SealedColumn } from "#platform/sealing/column.ts";

// Ten codes of 120 random bits, each good once. From 112 bits on a fast hash is enough (ASVS 6.5.2).

const howMany = 10;
const seedBytes = 20;

/** What is kept of a code, however it was typed: with or without hyphens, in capitals, o for 0, l or i for 1. */
function hashRecoveryCode(accountId: number, code: string): Buffer {
  const typed = code
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
    .replaceAll("o", "0")
    .replaceAll(/[il]/g, "1");
  return hash("sha256", `${accountId} ${typed}`, "buffer");
}

export async function countFactors(db: Db, accountId: number): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*) as count from platform.factor where account_id = ${accountId} and confirmed_at is not null`;
  return row.count;
}

/** Changes of an account's factors happen one after the other. */
export const takeFactorTurn = (tx: Db, accountId: number): Promise<void> =>
  tx.send`select pg_advisory_xact_lock(hashtextextended(${`factors of ${accountId}`}, 0))`;

export const seedColumn: SealedColumn = { table: "platform.factor", key: { id: "bigint" }, column: "seed" };

/** A new seed of one-time codes in base32, kept in this one place. It replaces one whose first code never came. */
export async function insertSeed(tx: Db, accountId: number, name: string): Promise<string> {
  const seed = new Secret({ size: seedBytes }).base32;
  await tx`delete from platform.factor where account_id = ${accountId} and kind = 'totp' and confirmed_at is null`;
  await tx`insert into platform.factor (account_id, kind, name, seed) values (${accountId}, 'totp', ${name}, ${tx.keys.seal(placeOf(seedColumn), seed)})`;
  return seed;
}

export async function findSeed(db: Db, accountId: number, state: "confirmed" | "begun") {
  const [row] = await db<{ id: number; seed: string }[]>`
    select id, seed from platform.factor
    where account_id = ${accountId} and kind = 'totp' and (confirmed_at is null) = ${state === "begun"}`;
  return row && { ...row, seed: db.keys.open(placeOf(seedColumn), row.seed) };
}

/** The seed holds from now on, in place of the one before. */
export async function confirmSeed(tx: Db, accountId: number, id: number, step: number): Promise<void> {
  await tx`delete from platform.factor where account_id = ${accountId} and kind = 'totp' and confirmed_at is not null`;
  await tx`
    update platform.factor set confirmed_at = now(), last_used_at = now(), counter = ${step} where id = ${id}`;
}

/** Removes all second factors of the account, and its recovery codes; returns how many factors there were. */
export async function clearFactors(tx: Db, accountId: number): Promise<number> {
  await tx`delete from platform.recovery_code where account_id = ${accountId}`;
  return tx.count`delete from platform.factor where account_id = ${accountId} and confirmed_at is not null`;
}

/** New codes in place of those before; hashes alone are kept. */
export async function renewRecoveryCodes(tx: Db, accountId: number): Promise<string[]> {
  const codes = Array.from({ length: howMany }, () => makeLetters(24).replaceAll(/(.{4})(?=.)/g, "$1-"));
  const hashes = codes.map((code) => hashRecoveryCode(accountId, code));
  await tx`delete from platform.recovery_code where account_id = ${accountId}`;
  await tx`insert into platform.recovery_code (account_id, code_hash) select ${accountId}, unnest(${hashes}::bytea[])`;
  return codes;
}

export async function countRecoveryCodes(db: Db, accountId: number): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*) as count from platform.recovery_code where account_id = ${accountId} and used_at is null`;
  return row.count;
}

export async function useRecoveryCode(tx: Db, accountId: number, code: string): Promise<boolean> {
  const used = await tx.count`
    update platform.recovery_code set used_at = now()
    where account_id = ${accountId} and code_hash = ${hashRecoveryCode(accountId, code)} and used_at is null`;
  return used === 1;
}

type Holder = { accountId: number; totp: boolean; passkeys: number; recoveryCodes: number };

export const listHolders = (db: Db, service: string) => db<Holder[]>`
  select account_id as "accountId", bool_or(kind = 'totp') as totp,
    count(*) filter (where kind = 'passkey') as passkeys,
    (select count(*) from platform.recovery_code as code where code.account_id = factor.account_id and used_at is null)
      as "recoveryCodes"
  from platform.factor join platform.account on account.id = account_id
  where service = ${service} and confirmed_at is not null
  group by account_id order by account_id`;
