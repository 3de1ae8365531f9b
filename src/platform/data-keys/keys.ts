import { type Db, type Fragment, inTransaction, type Pool, sql } from "#platform/database/index.ts";
import { type Part, readPart } from "#platform/process/health.ts";
import { nameColumn, bindingOf, sealedBy, type SealedColumn } from "#platform/sealing/keyring.ts";

interface KnownKey {
  readonly id: string;
  readonly since: Date;
  /** The columns in which nothing is left that it has not sealed. */
  readonly complete: readonly string[];
}

export async function lockDataKeys(tx: Db): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('data keys', 0))`;
}

const listDataKeys = (db: Db): Promise<KnownKey[]> =>
  db<KnownKey[]>`select id, since, complete from platform.data_key order by since, id`;

export async function recordComplete(tx: Db, id: string, complete: readonly string[]): Promise<void> {
  await tx`update platform.data_key set complete = ${complete} where id = ${id} and complete <> ${complete}`;
}

const hasSealedAll = ({ keys }: Db, [only, ...others]: readonly KnownKey[], column: SealedColumn): boolean =>
  only !== undefined && others.length === 0 && only.id === keys.currentId && only.complete.includes(nameColumn(column));

/** Whether equal values of the column are stored alike: all are as they were given, or the present key has sealed all. */
export async function isUniform(db: Db, column: SealedColumn): Promise<boolean> {
  const known = await listDataKeys(db);
  return known.length === 0 || hasSealedAll(db, known, column);
}

/** Tells the keyring in which columns the present key has sealed everything. */
function updateUniform(db: Db, known: readonly KnownKey[], columns: readonly SealedColumn[]): void {
  db.keys.markUniform(columns.filter((column) => hasSealedAll(db, known, column)).map(bindingOf));
}

/** Which rows have a value that the present key has not sealed; without one, those that are sealed. */
export function needsSealing({ keys: { currentId } }: Db, { column, sealedIn }: SealedColumn): Fragment {
  const where = sql.identifier(sealedIn ?? column);
  const value = sql.identifier(column);
  if (currentId === undefined) return sql`${where} like 'sealed:%' and ${where} not like 'sealed:plain:%'`;
  const present = `${sealedBy(currentId)}%`;
  // What stands apart leaves a value, or an empty text, in its place; an empty value is never sealed.
  return sealedIn === undefined
    ? sql`${value} like '_%' and ${value} not like ${present}`
    : sql`((${where} is null and ${value} <> '') or ${where} not like ${present})`;
}

/** The columns in which nothing is left that the present key has not sealed, or without one, that is sealed. */
export async function listComplete(db: Db, columns: readonly SealedColumn[]): Promise<string[]> {
  const complete: string[] = [];
  for (const column of columns) {
    const left = await db`select 1 from ${sql.identifier(column.table)} where ${needsSealing(db, column)} limit 1`;
    if (left.length === 0) complete.push(nameColumn(column));
  }
  return complete;
}

/**
 * Makes sure that this process can open whatever the database has sealed, and makes its key known there.
 * @throws {Error} naming the keys that are needed
 */
export async function admitKeys(pool: Pool, columns: readonly SealedColumn[]): Promise<void> {
  const { currentId, ids } = pool.keys;
  // Nobody of those without a key should wait for a lock.
  if (ids.length === 0 && (await listDataKeys(pool)).length === 0) return;
  await inTransaction(pool, async (tx) => {
    await lockDataKeys(tx);
    const known = await listDataKeys(tx);
    refuseMissing(tx, known);
    if (currentId !== undefined && !known.some(({ id }) => id === currentId)) {
      await tx`insert into platform.data_key (id) values (${currentId})`;
      if (known.length === 0) await recordComplete(tx, currentId, await listComplete(tx, columns));
    }
    updateUniform(tx, await listDataKeys(tx), columns);
  });
}

function refuseMissing({ keys: { ids } }: Db, known: readonly KnownKey[]): void {
  const missing = known.filter(({ id }) => !ids.includes(id));
  if (missing.length === 0) return;
  const needed = missing.map(({ id, since }) => `${id} (since ${since.toISOString()})`).join(", ");
  const given = ids.length === 0 ? "no data key is set" : `the data keys of this process are ${ids.join(", ")}`;
  throw new Error(
    `The database has values that the data key ${needed} has sealed, and ${given}. Set DATA_KEY (or DATA_KEY_FILE) to that key, or put it into DATA_KEY_OLD beside a new one. ` +
      "If it is lost, so are the identity cards, phone numbers and secrets that it has sealed; everything else is readable, and docs/operations.md says how to go on without them.",
  );
}

/**
 * Whether personal data and secrets are sealed, by which key, and in how many columns something may be left that
 * `quintet seal` has to bring to it. Keys are missing that this process would need, or by which others seal and it does not.
 */
export const readSealing = (pool: Pool, columns: readonly SealedColumn[]): Promise<Part> =>
  readPart("sealing", { zh: "数据加密", en: "Sealed data" }, async () => {
    const { currentId, ids } = pool.keys;
    const known = await listDataKeys(pool);
    updateUniform(pool, known, columns);
    const present = known.find(({ id }) => id === currentId);
    const unknown = known.filter(({ id }) => !ids.includes(id));
    const incomplete = columns.filter((column) => present?.complete.includes(nameColumn(column)) !== true).length;
    return {
      sealed: currentId !== undefined,
      keyId: currentId ?? null,
      olderKeys: known.length - (present ? 1 : 0),
      missingKeys: unknown.length + (currentId !== undefined && !present ? 1 : 0),
      columnsLeft: currentId === undefined ? 0 : incomplete,
    };
  });
