import { type Db, type Fragment, sql } from "#platform/database/index.ts";

// The chain's rows: some hundred lines each (migrations/0037_audit_chain.sql).

/** Some lines of the chain, one behind the other. */
export interface Piece {
  /** Place of its first line; the oldest line of all has place 1. */
  readonly first: number;
  readonly lines: number;
  readonly ids: number[];
  readonly hashes: Buffer;
  /** "" where it was sealed without a key. */
  readonly keyId: string;
  readonly sealedAt: Date;
  /** When its lines were removed on purpose; then it has no ids, and only the last hash. */
  readonly cutAt: Date | null;
}

const columns = sql`first, lines, ids, hashes, key_id as "keyId", sealed_at as "sealedAt", cut_at as "cutAt"`;

/** Pieces in their order, from the one on that is behind a place. */
export const listPieces = (db: Db, after: number, limit: number): Promise<Piece[]> =>
  db<Piece[]>`select ${columns} from platform.audit_chain where first > ${after} order by first limit ${limit}`;

export async function findLastPiece(db: Db): Promise<Piece | undefined> {
  const [last] = await db<Piece[]>`select ${columns} from platform.audit_chain order by first desc limit 1`;
  return last;
}

export const insertPiece = (
  tx: Db,
  { first, ids, hashes, keyId }: Pick<Piece, "first" | "ids" | "hashes" | "keyId">,
): Promise<void> => tx.send`
  insert into platform.audit_chain (first, lines, ids, hashes, key_id)
  values (${first}, ${ids.length}, ${ids}::bigint[], ${hashes}, ${keyId})`;

/** The oldest piece that is not cut, where all of its lines are older than a moment. */
export async function findFirstPiece(tx: Db, before: Date): Promise<Piece | undefined> {
  const [piece] = await tx<(Piece & { old: boolean })[]>`
    select ${columns}, not exists (select from platform.audit where id = any(ids) and at >= ${before}) as old
    from platform.audit_chain where cut_at is null order by first limit 1`;
  return piece?.old ? piece : undefined;
}

/** Removes the lines of a piece; of its hashes the last one stays. */
export async function cutPiece(tx: Db, { first, ids }: Piece, hash: Buffer): Promise<void> {
  await tx.send`select set_config('quintet.audit_cut', 'on', true)`;
  await tx.send`delete from platform.audit where id = any(${ids}::bigint[])`;
  await tx.send`
    update platform.audit_chain set ids = '{}', hashes = ${hash}, cut_at = now() where first = ${first}`;
}

/** A line as it is hashed: the same text on every server, whatever its time zone and version. */
const lineText: Fragment = sql`jsonb_build_array(line.id, to_char(line.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
  line.service, line.account_id, line.user_name, line.action, line.outcome, line.records, line.detail, line.address, line.changes)::text`;

export interface LineText {
  readonly id: number;
  readonly at: Date | null;
  /** null: there is no such line. */
  readonly text: string | null;
}

/** The lines of these ids, in this order. */
export const readLines = (db: Db, ids: readonly number[]): Promise<LineText[]> =>
  db<LineText[]>`
    select wanted.id, line.at, case when line.id is not null then ${lineText} end as text
    from unnest(${[...ids]}::bigint[]) with ordinality as wanted (id, place)
    left join platform.audit as line on line.id = wanted.id
    order by place`;

/** One seals or cuts at a time, over all processes. False: another one does. */
export async function takeChain(tx: Db): Promise<boolean> {
  const [turn] = await tx<{ mine: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended('audit chain', 0)) as mine`;
  return turn?.mine === true;
}

/** The oldest lines of those from before the chain that it does not have yet. */
export async function listUnadopted(db: Db, limit: number): Promise<number[]> {
  const rows = await db<{ id: number }[]>`
    select line.id from platform.audit_adoption join platform.audit as line on line.id > adopted and line.id <= up_to
    order by line.id limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** @param to the last of them; left out: there are none any more */
export const noteAdopted = (tx: Db, to: number | undefined): Promise<void> =>
  tx.send`update platform.audit_adoption set adopted = ${to === undefined ? sql`up_to` : sql`${to}::bigint`}`;

export async function isAdopting(db: Db): Promise<boolean> {
  const [row] = await db<{ left: boolean }[]>`select adopted < up_to as left from platform.audit_adoption`;
  return row?.left === true;
}

export async function listYoung(db: Db, limit: number): Promise<number[]> {
  const rows = await db<{ id: number }[]>`select id from platform.audit_young order by id limit ${limit}`;
  return rows.map(({ id }) => id);
}

export const removeYoung = (tx: Db, ids: readonly number[]): Promise<void> =>
  tx.send`delete from platform.audit_young where id = any(${[...ids]}::bigint[])`;
