import type { Db } from "./db.ts";
import { isMissingTable } from "./failures.ts";
import { listMigrations, type Migration, numberOf } from "./migrations.ts";

/** A migration that the database has had. */
export interface Applied {
  readonly name: string;
  readonly hash: string;
  readonly beside: string | null;
}

/** How the database stands to this program. */
export interface SchemaState {
  /** Names of the program's migrations that the database lacks. */
  readonly pending: readonly string[];
  /** Names of those that it has had and the program does not know: a newer one has been at it. */
  readonly newer: readonly string[];
  /** Whether the program may run beside all of them. */
  readonly mayRun: boolean;
}

/** What the database has had; nothing when it is empty. */
export async function readApplied(db: Db): Promise<Applied[]> {
  try {
    return await db<Applied[]>`select name, hash, beside from platform.migration order by name`;
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
}

export function compareSchema(migrations: readonly Migration[], applied: readonly Applied[]): SchemaState {
  const known = new Set(migrations.map(({ name }) => name));
  const had = new Set(applied.map(({ name }) => name));
  const newest = numberOf(migrations.at(-1)?.name ?? "");
  const newer = applied.filter(({ name }) => !known.has(name));
  return {
    pending: migrations.map(({ name }) => name).filter((name) => !had.has(name)),
    newer: newer.map(({ name }) => name),
    mayRun: newer.every(({ beside }) => beside !== null && beside <= newest),
  };
}

/** How the database stands to this program just now: one small statement. */
export const readSchemaState = async (db: Db): Promise<SchemaState> =>
  compareSchema(await listMigrations(), await readApplied(db));
