import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { Db } from "./db.ts";
import { isMissingTable } from "./failures.ts";

const folder = new URL("../../../migrations/", import.meta.url);

export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly hash: string;
  /**
   * The newest migration of the oldest version that can still run on the migrated database; undefined if no older
   * version can.
   */
  readonly beside: string | undefined;
  /** True for a concurrent index build, which must be a single statement outside a transaction. */
  readonly isOutside: boolean;
}

const besideLine = /^-- beside: (\d{4})$/m;
const outsideLine = /^-- outside a transaction$/m;

export const numberOf = (name: string): string => name.slice(0, 4);

export function readMigration(name: string, sql: string): Migration {
  const head = /^(?:--.*\n|\s*\n)*/.exec(sql)?.[0] ?? "";
  const beside = besideLine.exec(head)?.[1];
  if (beside !== undefined && beside > numberOf(name))
    throw new Error(`${name} refers to migration ${beside}, which comes later.`);
  const hash = createHash("sha256").update(sql).digest("hex");
  return { name, sql, hash, beside, isOutside: outsideLine.test(head) };
}

let own: Promise<readonly Migration[]> | undefined;

/** The files are read only once, because an upgrade may replace them while this version runs. */
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
  readonly pending: readonly string[];
  readonly newer: readonly string[];
  readonly mayRun: boolean;
}

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

export const readSchemaState = async (db: Db): Promise<SchemaState> =>
  compareSchema(await listMigrations(), await readApplied(db));
