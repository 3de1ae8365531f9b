import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { Db } from "./db.ts";
import { isMissingTable } from "./failures.ts";

const folder = new URL("../../../migrations/", import.meta.url);

/** A file of migrations/: what it does to the database, and whom it leaves at work there. */
export interface Migration {
  /** Such as "0002_reporting.sql"; migrations run in the order of their names. */
  readonly name: string;
  readonly sql: string;
  readonly hash: string;
  /**
   * The number of the newest migration of the oldest program that may run beside a database that has had this one;
   * undefined: only a program that knows it may.
   */
  readonly beside: string | undefined;
  /** It builds or drops an index while others write: its one statement runs by itself, since no transaction may do that. */
  readonly isOutside: boolean;
}

const besideLine = /^-- beside: (\d{4})$/m;
const outsideLine = /^-- outside a transaction$/m;

/** The number of a migration, which is its place in the order. */
export const numberOf = (name: string): string => name.slice(0, 4);

/** @throws when what stands above the statements cannot be kept. */
export function readMigration(name: string, sql: string): Migration {
  const head = /^(?:--.*\n|\s*\n)*/.exec(sql)?.[0] ?? "";
  const beside = besideLine.exec(head)?.[1];
  if (beside !== undefined && beside > numberOf(name))
    throw new Error(`${name} says that programs may run beside it from ${beside} on, which comes later.`);
  const hash = createHash("sha256").update(sql).digest("hex");
  return { name, sql, hash, beside, isOutside: outsideLine.test(head) };
}

let own: Promise<readonly Migration[]> | undefined;

/**
 * The migrations that this program knows, in their order. Read once: the files of the next version may take the place of
 * this one's while it runs.
 */
export const listMigrations = (): Promise<readonly Migration[]> =>
  (own ??= readdir(folder).then((all) => {
    const names = all.filter((name) => name.endsWith(".sql")).toSorted();
    return Promise.all(names.map(async (name) => readMigration(name, await readFile(new URL(name, folder), "utf8"))));
  }));

export interface Applied {
  readonly name: string;
  readonly hash: string;
  readonly beside: string | null;
}

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
