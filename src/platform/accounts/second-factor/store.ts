import { hash, randomBytes } from "node:crypto";
import { column, type Db, type RowOf, sql, writeSelected } from "#platform/database/index.ts";
import { placeOf, type SealedColumn } from "#platform/sealing/column.ts";
import type { Transport } from "./contract.ts";

// Ten codes of 120 random bits, each good once. From 112 bits on a fast hash is enough (ASVS 6.5.2).

const howMany = 10;
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

const makeCode = (): string =>
  Array.from(randomBytes(24), (byte) => alphabet[byte % alphabet.length])
    .join("")
    .replaceAll(/(.{4})(?=.)/g, "$1-");

/** What is kept of a code, however it was typed: with or without hyphens, in capitals, o for 0, l or i for 1. */
function hashRecoveryCode(accountId: number, code: string): Buffer {
  const typed = code
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
    .replaceAll("o", "0")
    .replaceAll(/[il]/g, "1");
  return hash("sha256", `${accountId} ${typed}`, "buffer");
}

const columns = {
  id: column<number>("id"),
  kind: column<"totp" | "passkey">("kind"),
  name: column<string>("name"),
  createdAt: column<Date>("created_at"),
  lastUsedAt: column<Date | null>("last_used_at"),
};
const selected = sql.raw(writeSelected(columns));

export type Factor = RowOf<typeof columns>;

export const listFactors = (db: Db, accountId: number): Promise<Factor[]> => db<Factor[]>`
  select ${selected} from platform.factor where account_id = ${accountId} and confirmed_at is not null order by id`;

export async function countFactors(db: Db, accountId: number): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*) as count from platform.factor where account_id = ${accountId} and confirmed_at is not null`;
  return row?.count ?? 0;
}

export async function takeFactorTurn(tx: Db, accountId: number): Promise<void> {
  await tx.send`select pg_advisory_xact_lock(hashtextextended(${`factors of ${accountId}`}, 0))`;
}

export const seedColumn: SealedColumn = { table: "platform.factor", key: { id: "bigint" }, column: "seed" };

/** The seed of one-time codes, kept in this one place. It replaces one whose first code never came. */
export async function insertSeed(tx: Db, accountId: number, name: string, seed: string): Promise<void> {
  await tx`delete from platform.factor where account_id = ${accountId} and kind = 'totp' and confirmed_at is null`;
  await tx`insert into platform.factor (account_id, kind, name, seed) values (${accountId}, 'totp', ${name}, ${tx.keys.seal(placeOf(seedColumn), seed)})`;
}

export interface SeedRow {
  readonly id: number;
  readonly seed: string;
}

export async function findSeed(db: Db, accountId: number, state: "confirmed" | "begun"): Promise<SeedRow | undefined> {
  const [row] = await db<SeedRow[]>`
    select id, seed from platform.factor
    where account_id = ${accountId} and kind = 'totp' and (confirmed_at is null) = ${state === "begun"}`;
  return row && { ...row, seed: db.keys.open(placeOf(seedColumn), row.seed) };
}

/** The seed holds from now on, in place of the one before. */
export async function confirmSeed(tx: Db, accountId: number, { id }: SeedRow, step: number): Promise<void> {
  await tx`delete from platform.factor where account_id = ${accountId} and kind = 'totp' and confirmed_at is not null`;
  await tx`
    update platform.factor set confirmed_at = now(), last_used_at = now(), counter = ${step} where id = ${id}`;
}

/** Uses the code of a step up. False: it, or a later one, was used before. */
export async function useStep(tx: Db, id: number, step: number): Promise<boolean> {
  const rows = await tx`
    update platform.factor set counter = ${step}, last_used_at = now()
    where id = ${id} and counter < ${step} returning 1`;
  return rows.length === 1;
}

export interface Passkey {
  readonly id: number;
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly transports: readonly Transport[];
}

export const listPasskeys = (db: Db, accountId: number, rpId: string): Promise<Passkey[]> => db<Passkey[]>`
  select id, credential_id as "credentialId", public_key as "publicKey", transports
  from platform.factor where account_id = ${accountId} and kind = 'passkey' and rp_id = ${rpId} order by id`;

export interface NewPasskey extends Omit<Passkey, "id"> {
  readonly name: string;
  readonly rpId: string;
  readonly counter: number;
}

/** One that somebody has already breaks factor_credential_key. */
export async function insertPasskey(tx: Db, accountId: number, passkey: NewPasskey): Promise<number> {
  const { name, rpId, credentialId, publicKey, transports, counter } = passkey;
  const [row] = await tx<{ id: number }[]>`
    insert into platform.factor (account_id, kind, name, rp_id, credential_id, public_key, transports, counter, confirmed_at)
    values (${accountId}, 'passkey', ${name}, ${rpId}, ${credentialId}, ${publicKey}, ${transports}, ${counter}, now())
    returning id`;
  return row?.id ?? 0;
}

/** False: it counted no further than when it was last used, as a copy of it would. One that never counts says 0. */
export async function usePasskey(tx: Db, id: number, counter: number): Promise<boolean> {
  const rows = await tx`
    update platform.factor set counter = ${counter}, last_used_at = now()
    where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter} = 0)) returning 1`;
  return rows.length === 1;
}

export type Purpose = "enrol" | "show";

/** What the session's passkey has to sign; the one before is worth nothing any more. */
export async function keepChallenge(tx: Db, sessionId: number, purpose: Purpose, challenge: string): Promise<void> {
  await tx`
    insert into platform.factor_challenge (session_id, purpose, challenge) values (${sessionId}, ${purpose}, ${challenge})
    on conflict (session_id, purpose) do update set challenge = excluded.challenge, created_at = now()`;
}

/** Uses the challenge up, whatever comes of it. */
export async function takeChallenge(db: Db, sessionId: number, purpose: Purpose): Promise<string | undefined> {
  const [row] = await db<{ challenge: string }[]>`
    delete from platform.factor_challenge
    where session_id = ${sessionId} and purpose = ${purpose}
    returning case when created_at > now() - interval '5 minutes' then challenge end as challenge`;
  return row?.challenge ?? undefined;
}

export async function renameFactor(tx: Db, accountId: number, id: number, name: string): Promise<boolean> {
  const rows = await tx`
    update platform.factor set name = ${name}
    where id = ${id} and account_id = ${accountId} and confirmed_at is not null returning 1`;
  return rows.length === 1;
}

export async function deleteFactors(tx: Db, accountId: number, ids: readonly number[]): Promise<number[]> {
  const rows = await tx<{ id: number }[]>`
    delete from platform.factor
    where account_id = ${accountId} and id = any(${ids}) and confirmed_at is not null returning id`;
  return rows.map(({ id }) => id);
}

/** Removes all second factors of the account, and its recovery codes; returns how many factors there were. */
export async function clearFactors(tx: Db, accountId: number): Promise<number> {
  await tx`delete from platform.recovery_code where account_id = ${accountId}`;
  return tx.count`delete from platform.factor where account_id = ${accountId} and confirmed_at is not null`;
}

/** New codes in place of those before; hashes alone are kept. */
export async function renewRecoveryCodes(tx: Db, accountId: number): Promise<string[]> {
  const codes = Array.from({ length: howMany }, makeCode);
  const hashes = codes.map((code) => hashRecoveryCode(accountId, code));
  await tx`delete from platform.recovery_code where account_id = ${accountId}`;
  await tx`insert into platform.recovery_code (account_id, code_hash) select ${accountId}, unnest(${hashes}::bytea[])`;
  return codes;
}

export async function countRecoveryCodes(db: Db, accountId: number): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*) as count from platform.recovery_code where account_id = ${accountId} and used_at is null`;
  return row?.count ?? 0;
}

export async function useRecoveryCode(tx: Db, accountId: number, code: string): Promise<boolean> {
  const rows = await tx`
    update platform.recovery_code set used_at = now()
    where account_id = ${accountId} and code_hash = ${hashRecoveryCode(accountId, code)} and used_at is null returning 1`;
  return rows.length === 1;
}

export interface Holder {
  readonly accountId: number;
  readonly totp: boolean;
  readonly passkeys: number;
  readonly recoveryCodes: number;
}

export const listHolders = (db: Db, service: string): Promise<Holder[]> => db<Holder[]>`
  select account_id as "accountId", bool_or(kind = 'totp') as totp,
    count(*) filter (where kind = 'passkey') as passkeys,
    (select count(*) from platform.recovery_code as code where code.account_id = factor.account_id and used_at is null)
      as "recoveryCodes"
  from platform.factor join platform.account on account.id = account_id
  where service = ${service} and confirmed_at is not null
  group by account_id order by account_id`;
