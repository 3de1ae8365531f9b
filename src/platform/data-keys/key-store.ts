import type { Db } from "#platform/database/index.ts";
import { nameColumn, placeOf, type SealedColumn } from "#platform/sealing/column.ts";

/** A key that may have sealed something. */
export interface KnownKey {
  readonly id: string;
  readonly proof: string;
  readonly since: Date;
  /** The columns in which nothing is left that it has not sealed. */
  readonly complete: readonly string[];
}

export async function lockDataKeys(tx: Db): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('data keys', 0))`;
}

export async function listDataKeys(db: Db): Promise<KnownKey[]> {
  return db<KnownKey[]>`select id, proof, since, complete from platform.data_key order by since, id`;
}

export async function insertDataKey(tx: Db, id: string, proof: string): Promise<void> {
  await tx`insert into platform.data_key (id, proof) values (${id}, ${proof})`;
}

export async function noteComplete(tx: Db, id: string, complete: readonly string[]): Promise<void> {
  await tx`update platform.data_key set complete = ${complete} where id = ${id} and complete <> ${complete}`;
}

export async function deleteDataKeysBut(tx: Db, id: string | undefined): Promise<void> {
  await tx`delete from platform.data_key where id is distinct from ${id ?? null}`;
}

const hasSealedAll = ({ keys }: Db, [only, ...others]: readonly KnownKey[], column: SealedColumn): boolean =>
  only !== undefined && others.length === 0 && only.id === keys.currentId && only.complete.includes(nameColumn(column));

/** Whether equal values of the column are stored alike: all are as they were given, or the present key has sealed all. */
export async function isUniform(db: Db, column: SealedColumn): Promise<boolean> {
  const known = await listDataKeys(db);
  return known.length === 0 || hasSealedAll(db, known, column);
}

/** Tells the keyring in which columns the present key has sealed everything. */
export function noteUniform(db: Db, known: readonly KnownKey[], columns: readonly SealedColumn[]): void {
  db.keys.noteUniform(columns.filter((column) => hasSealedAll(db, known, column)).map(placeOf));
}
