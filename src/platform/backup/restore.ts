import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import {
  copyIn,
  type Db,
  findRole,
  inTransaction,
  listMigrations,
  migrate,
  type Pool,
  setLimits,
} from "#platform/database/index.ts";
import { type FileStore, toStoragePath } from "#platform/files/file-store.ts";
import { migrateJobs } from "#platform/jobs/runner.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";
import { countRows, findAnyTable, listRules, listTables, noLimits, plainForms, readSequences } from "./catalogue.ts";
import { findBackup } from "./folder.ts";
import { loadBackupKeys } from "./keys.ts";
import { type Backup, checkMembers, readManifest, toFilePath, toTablePath } from "./manifest.ts";
import { Digest, readMember } from "./member.ts";

export interface OpenOptions {
  readonly keyring: Keyring;
  readonly dataDir: string;
  readonly anyKey?: boolean | undefined;
}

/**
 * Opens the backup in the folder `from`, or the newest one if `from` is a folder of backups, and verifies all its
 * bytes.
 * @throws {Error} if the backup was modified, is incomplete, or needs another version or key
 */
export async function openBackup(from: string, { keyring, dataDir, anyKey }: OpenOptions): Promise<Backup> {
  const keys = await loadBackupKeys(keyring, dataDir);
  const backup = await readManifest(await findBackup(from), keys, anyKey);
  const { migrations, dataKeys } = backup.manifest;
  const known = new Map((await listMigrations()).map(({ name, hash }) => [name, hash]));
  const other = migrations.find(({ name, hash }) => known.get(name) !== hash);
  if (other)
    throw new Error(
      `the backup was made by another version, with migration ${other.name}: restore it with that version`,
    );
  const missing = dataKeys.filter((id) => !keyring.ids.includes(id));
  if (missing.length > 0)
    throw new Error(
      `the backup contains values encrypted with the data key ${missing.join(", ")}: set DATA_KEY to this key`,
    );
  await checkMembers(backup);
  return backup;
}

export interface Target {
  readonly pool: Pool;
  readonly url: string;
  readonly files: FileStore;
  readonly spool: string;
}

const marker = "quintet_restore";

/**
 * Restores the files, and the database without its sessions.
 * @throws {Error} if the database is not empty, the file store has other files, or the backup does not fit this version
 */
export async function restore(backup: Backup, { pool, url, files, spool }: Target): Promise<void> {
  const other = (await isMarked(pool)) ? undefined : await findAnyTable(pool);
  if (other !== undefined) throw new Error(`the database is not empty (${other}): restore into an empty database`);
  const wanted = new Set(backup.manifest.files.map(({ name }) => name));
  // The file store may already have these files, from an interrupted restore or because it was never emptied.
  const there = new Set<string>();
  for await (const names of files.listOlder(0))
    for (const name of names) {
      if (!wanted.has(name))
        throw new Error(`the file store contains other files (${toStoragePath(name)}): empty it first`);
      there.add(name);
    }
  // While this schema exists, no server starts on the database.
  await pool.script(`create schema if not exists ${marker}`);
  await rm(spool, { recursive: true, force: true });
  await mkdir(spool, { recursive: true, mode: 0o700 });
  for (const file of backup.manifest.files)
    if (!there.has(file.name)) {
      const local = path.join(spool, file.name);
      const digest = new Digest();
      const content = readMember(path.join(backup.folder, toFilePath(file.name)), file, backup.key);
      await pipeline(content, digest, createWriteStream(local, { mode: 0o600 }));
      const { bytes, sha256 } = digest.result();
      await files.put(file.name, { path: local, bytes, sha256: Buffer.from(sha256, "hex") });
      await rm(local, { force: true });
    }
  await loadDatabase(backup, pool, url);
  await rm(spool, { recursive: true, force: true });
}

export async function refuseUnfinishedRestore(db: Db): Promise<void> {
  if (await isMarked(db))
    throw new Error("a restore into this database was interrupted: run it again, or use an empty database");
}

const isMarked = (db: Db): Promise<boolean> =>
  db.value<boolean>`select to_regnamespace(${marker}) is not null as found`;

/**
 * @param pool connections of the tables' owner
 * @param url the server's connection to the database, without a pooler
 */
export async function loadDatabase(backup: Backup, pool: Pool, url: string): Promise<void> {
  const had = new Set(backup.manifest.migrations.map(({ name }) => name));
  const migrations = await listMigrations();
  const serverRole = await findRole(url);
  await migrate(pool, { migrations: migrations.filter(({ name }) => had.has(name)), serverRole });
  await migrateJobs(url);
  await inTransaction(pool, async (tx) => {
    await setLimits(tx, noLimits, "transaction");
    await tx.script(plainForms);
    // The rows are loaded without foreign keys, because some tables reference each other, so the keys could not be
    // satisfied table by table. The rows are loaded without indexes, because building an index afterwards takes a
    // fraction of the time.
    const rules = await listRules(tx);
    for (const { without } of rules.toReversed()) await tx.script(without);
    await fillTables(backup, tx);
    const known = new Set((await readSequences(tx)).map(({ name }) => name));
    for (const { name, last, isCalled } of backup.manifest.sequences) {
      if (!known.has(name)) throw new Error(`the backup has a sequence unknown to this version: ${name}`);
      await tx`select setval(${name}::text::regclass, ${last}::text::bigint, ${isCalled})`;
    }
    // A session that ended after the backup was made must not become valid again.
    // What references a session is deleted with it, because the foreign keys that would do so are dropped at this point.
    const ofSessions = ["ticket", "factor_challenge", "session", "card_session"];
    await tx.script(ofSessions.map((table) => `delete from platform.${table}`).join("; "));
    for (const { again } of rules) await tx.script(again);
    await tx.script(`drop schema if exists ${marker}`);
  });
  await migrate(pool, { serverRole });
  await inTransaction(pool, async (tx) => {
    await setLimits(tx, noLimits, "transaction");
    await tx.script("analyze");
  });
}

async function fillTables(backup: Backup, tx: Db): Promise<void> {
  const known = new Map((await listTables(tx)).map((table) => [table.name, table]));
  const { tables } = backup.manifest;
  if (known.size !== tables.length) throw new Error("the backup and this version have different tables");
  for (const [index, stored] of tables.entries()) {
    const table = known.get(stored.name);
    if (!table || table.columns.toSorted().join() !== stored.columns.toSorted().join())
      throw new Error(`the backup has a table unknown to this version: ${stored.name}`);
    // Rows that migrations inserted are deleted first, because the backup contains them too.
    if ((await countRows(tx, table.name)) > 0) await tx.script(`truncate ${table.name}`);
    const pieces = readMember(path.join(backup.folder, toTablePath(index)), stored, backup.key);
    await copyIn(tx, `${table.name} (${stored.columns.join(", ")})`, pieces);
    const rows = await countRows(tx, table.name);
    if (rows !== stored.rows) throw new Error(`${table.name} has ${rows} rows instead of ${stored.rows}`);
  }
}
