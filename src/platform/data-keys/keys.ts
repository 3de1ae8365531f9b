import { type Db, type Fragment, inTransaction, type Pool, sql } from "#platform/database/index.ts";
import { type Part, readPart } from "#platform/process/health.ts";
import { nameColumn, bindingOf, sealedBy, type SealedColumn } from "#platform/sealing/keyring.ts";

interface KnownKey {
  readonly id: string;
  readonly since: Date;
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

/** Whether all values of the column are stored in the same form: as plain text, or sealed with the current key. */
export async function isUniform(db: Db, column: SealedColumn): Promise<boolean> {
  const known = await listDataKeys(db);
  return known.length === 0 || hasSealedAll(db, known, column);
}

function updateUniform(db: Db, known: readonly KnownKey[], columns: readonly SealedColumn[]): void {
  db.keys.markUniform(columns.filter((column) => hasSealedAll(db, known, column)).map(bindingOf));
}

/**
 * Returns the condition for rows that are not sealed with the current key or, if there is no key, for rows that are
 * sealed.
 */
export function needsSealing({ keys: { currentId } }: Db, { column, sealedIn }: SealedColumn): Fragment {
  const where = sql.identifier(sealedIn ?? column);
  const value = sql.identifier(column);
  if (currentId === undefined) return sql`${where} like 'sealed:%' and ${where} not like 'sealed:plain:%'`;
  const present = `${sealedBy(currentId)}%`;
  // While the separate sealed column is null, `column` holds the plain value. An empty value is never sealed.
  return sealedIn === undefined
    ? sql`${value} like '_%' and ${value} not like ${present}`
    : sql`((${where} is null and ${value} <> '') or ${where} not like ${present})`;
}

/** Returns the columns whose values are all sealed with the current key or, if there is no key, all plain text. */
export async function listComplete(db: Db, columns: readonly SealedColumn[]): Promise<string[]> {
  const complete: string[] = [];
  for (const column of columns) {
    const left = await db`select 1 from ${sql.identifier(column.table)} where ${needsSealing(db, column)} limit 1`;
    if (left.length === 0) complete.push(nameColumn(column));
  }
  return complete;
}

/**
 * Verifies that this process has all keys with which values in the database are sealed, and registers its current key.
 * @throws {Error} that names the missing keys
 */
export async function admitKeys(pool: Pool, columns: readonly SealedColumn[]): Promise<void> {
  const { currentId, ids } = pool.keys;
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
    `The database contains values encrypted with the data key ${needed}, but ${given}. Set DATA_KEY (or DATA_KEY_FILE) to that key, or add it to DATA_KEY_OLD if DATA_KEY is a new key. ` +
      "If the key is lost, the identity cards, phone numbers and secrets encrypted with it cannot be recovered; all other data are readable. See docs/operations.md.",
  );
}

export const readSealing = (pool: Pool, columns: readonly SealedColumn[]): Promise<Part> =>
  readPart("sealing", { zh: "数据加密", en: "Data encryption" }, async () => {
    const { currentId, ids } = pool.keys;
    const known = await listDataKeys(pool);
    const [isAside] = await pool.values<boolean>`
      select exists (select from platform.setup_aside where item = 'platform.data-key')`;
    updateUniform(pool, known, columns);
    const present = known.find(({ id }) => id === currentId);
    const unknown = known.filter(({ id }) => !ids.includes(id));
    const incomplete = columns.filter((column) => present?.complete.includes(nameColumn(column)) !== true).length;
    return {
      sealed: currentId !== undefined,
      isAccepted: isAside === true,
      keyId: currentId ?? null,
      olderKeys: known.length - (present ? 1 : 0),
      missingKeys: unknown.length + (currentId !== undefined && !present ? 1 : 0),
      columnsLeft: currentId === undefined ? 0 : incomplete,
    };
  });
