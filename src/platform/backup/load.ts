import path from "node:path";
import {
  findRole,
  type Db,
  inTransaction,
  listMigrations,
  migrate,
  openCopyIn,
  type Pool,
  setLimits,
} from "#platform/database/index.ts";
import { migrateJobs } from "#platform/jobs/runner.ts";
import {
  countRows,
  findAnyTable,
  listForeignKeys,
  listIndexes,
  listSequenceNames,
  listTables,
  listTriggers,
  noLimits,
  plainForms,
  type Table,
} from "./catalogue.ts";
import { type Backup, type Manifest, toTablePath } from "./manifest.ts";
import { readMember } from "./member.ts";

const marker = "quintet_restore";

/** @throws {Error} when a restore into the database was begun and is not finished */
export async function refuseUnfinishedRestore(db: Db): Promise<void> {
  if (await isMarked(db))
    throw new Error("a restore into this database was cut off: run it again, or begin anew with an empty database");
}

async function isMarked(db: Db): Promise<boolean> {
  const [row] = await db<{ found: boolean }[]>`select to_regnamespace(${marker}) is not null as found`;
  return row?.found === true;
}

/** From here on no server starts on the database, until all is there. */
export const markRestore = (db: Db): Promise<unknown> => db.script(`create schema if not exists ${marker}`);

/** @throws {Error} unless the database is empty, or has the remains of a restore that was cut off */
export async function requireEmptyDatabase(db: Db): Promise<void> {
  if (await isMarked(db)) return;
  const other = await findAnyTable(db);
  if (other !== undefined)
    throw new Error(`the database is not empty (${other}): a backup is restored into an empty one`);
}

/** @throws {Error} when this version cannot make the tables of the backup */
export async function requireKnownSchema({ migrations }: Manifest): Promise<void> {
  const known = new Map((await listMigrations()).map(({ name, hash }) => [name, hash]));
  const other = migrations.find(({ name, hash }) => known.get(name) !== hash);
  if (other) throw new Error(`the backup is of another version, which has ${other.name}: restore it by that version`);
}

/**
 * Makes the tables of a backup in an empty database and fills them, all or none.
 * @param pool as the owner of its tables @param url as the server, past a pooler
 */
export async function loadDatabase(backup: Backup, pool: Pool, url: string): Promise<void> {
  await markRestore(pool);
  const had = new Set(backup.manifest.migrations.map(({ name }) => name));
  const migrations = await listMigrations();
  const serverRole = await findRole(url);
  await migrate(pool, { migrations: migrations.filter(({ name }) => had.has(name)), serverRole });
  await migrateJobs(url);
  await inTransaction(pool, async (tx) => {
    await setLimits(tx, noLimits, "transaction");
    await tx.script(plainForms);
    const restoreRules = await suspendRules(tx);
    await fillTables(backup, tx);
    await setSequences(tx, backup.manifest);
    // Who has signed out since, or was signed out with a new password, must not be signed in again.
    await tx.script("delete from platform.session; delete from platform.card_session");
    await restoreRules();
    await tx.script(`drop schema ${marker}`);
  });
  await migrate(pool, { serverRole });
  await inTransaction(pool, async (tx) => {
    await setLimits(tx, noLimits, "transaction");
    await tx.script("analyze");
  });
}

/**
 * Months name their imports, and imports their month: with foreign keys there is no order in which tables could be filled. An
 * index that is made of a whole table takes a fraction of what it takes row by row.
 */
async function suspendRules(tx: Db): Promise<() => Promise<void>> {
  const keys = await listForeignKeys(tx);
  const triggers = await listTriggers(tx);
  const indexes = await listIndexes(tx);
  await runAll(tx, [
    ...keys.map(({ table, name }) => `alter table ${table} drop constraint ${name}`),
    ...triggers.map(({ table, name }) => `alter table ${table} disable trigger ${name}`),
    ...indexes.map(({ name }) => `drop index ${name}`),
  ]);
  return () =>
    runAll(tx, [
      ...indexes.map(({ definition }) => definition),
      ...keys.map(({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`),
      ...triggers.map(({ table, name, verb }) => `alter table ${table} ${verb} trigger ${name}`),
    ]);
}

async function runAll(tx: Db, statements: readonly string[]): Promise<void> {
  if (statements.length > 0) await tx.script(statements.join("; "));
}

async function fillTables(backup: Backup, tx: Db): Promise<void> {
  const tables = await listTables(tx);
  const known = new Map(tables.map((table) => [table.name, table]));
  if (known.size !== backup.manifest.tables.length) throw new Error("the backup has other tables than this version");
  await emptyTables(tx, tables);
  for (const [index, stored] of backup.manifest.tables.entries()) {
    const table = known.get(stored.name);
    if (!table || table.columns.toSorted().join() !== stored.columns.toSorted().join())
      throw new Error(`the backup has a table that this version has not: ${stored.name}`);
    const copy = await openCopyIn(tx, `${table.name} (${stored.columns.join(", ")})`);
    try {
      for await (const piece of readMember(path.join(backup.folder, toTablePath(index)), stored, backup.key))
        await copy.write(piece as Buffer);
    } catch (error) {
      copy.abandon();
      throw error;
    }
    await copy.finish();
    const rows = await countRows(tx, table.name);
    if (rows !== stored.rows) throw new Error(`${table.name} has ${rows} rows, and the backup ${stored.rows}`);
  }
}

/** What migrations have put there comes with the rest. */
async function emptyTables(tx: Db, tables: readonly Table[]): Promise<void> {
  const filled: string[] = [];
  for (const { name } of tables) if ((await countRows(tx, name)) > 0) filled.push(`truncate ${name}`);
  await runAll(tx, filled);
}

async function setSequences(tx: Db, { sequences }: Manifest): Promise<void> {
  const known = new Set(await listSequenceNames(tx));
  for (const { name, last, isCalled } of sequences) {
    if (!known.has(name)) throw new Error(`the backup has a sequence that this version has not: ${name}`);
    await tx`select setval(${name}::text::regclass, ${last}::text::bigint, ${isCalled})`;
  }
}
