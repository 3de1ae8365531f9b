import { link, mkdir } from "node:fs/promises";
import path from "node:path";
import { copyOut, type Pool, type Session, setLimits } from "#platform/database/index.ts";
import type { FileStore } from "#platform/files/file-store.ts";
import { removalLock } from "#platform/files/upload.ts";
import { countRows, listTables, noLimits, plainForms, readSequences } from "./catalogue.ts";
import { finishBackup, listBackups, prune, refuseFolder, removeUnfinished, toUnfinished } from "./folder.ts";
import type { BackupKey } from "./keys.ts";
import {
  type Backup,
  type Manifest,
  readManifest,
  type StoredFile,
  type StoredTable,
  toFilePath,
  toTablePath,
  writeManifest,
} from "./manifest.ts";
import { writeMember } from "./member.ts";

export interface Source {
  readonly pool: Pool;
  readonly files: FileStore;
  readonly keys: readonly BackupKey[];
}

export class BackupUnderWay extends Error {}

export interface BackupOptions {
  readonly signal?: AbortSignal | undefined;
  readonly keep?: number | undefined;
}

/**
 * Copies a running database, as of one moment, and its files into a new subfolder of `folder`.
 * @throws {BackupUnderWay} if another backup is running
 * @throws {Error} if the folder cannot be used, or the manifest of its newest backup cannot be read with the keys
 */
export async function makeBackup(source: Source, folder: string, options: BackupOptions = {}): Promise<Backup> {
  const [key] = source.keys;
  if (!key) throw new Error("the key that authenticates backups is missing");
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) =>
    refuseFolder(folder, error),
  );
  const session = await source.pool.reserve();
  try {
    if (!(await session.value<boolean>`select pg_try_advisory_lock(hashtextextended('backup', 0))`))
      throw new BackupUnderWay("another backup is in progress");
    // The lock waits for a running deletion of files and blocks later ones, so that no file of a copied row is deleted.
    await session.script(`select pg_advisory_lock(${removalLock})`);
    const newest = (await listBackups(folder)).at(-1);
    const previous = newest === undefined ? undefined : await readManifest(path.join(folder, newest), source.keys);
    await removeUnfinished(folder);
    const id = new Date().toISOString().replaceAll(":", "-");
    const part = toUnfinished(folder, id);
    const { uploads, ...rest } = await copyDatabase(session, part, { key, signal: options.signal });
    const files = await copyFiles(source.files, uploads, { part, key, previous, signal: options.signal });
    const manifest: Manifest = { format: 1, id, ...rest, files };
    await writeManifest({ folder: part, manifest, key });
    await finishBackup(folder, id);
    if (options.keep !== undefined) await prune(folder, options.keep);
    return { folder: path.join(folder, id), manifest, key };
  } finally {
    await session.script("rollback; select pg_advisory_unlock_all()").catch(() => undefined);
    session.release();
  }
}

interface Writing {
  readonly key: BackupKey;
  readonly signal: AbortSignal | undefined;
}

async function copyDatabase(session: Session, part: string, writing: Writing) {
  await mkdir(path.join(part, "tables"), { recursive: true, mode: 0o700 });
  await session.script(`begin isolation level repeatable read read only; ${plainForms}`);
  await setLimits(session, noLimits, "transaction");
  const tables: StoredTable[] = [];
  for (const [index, { name, columns }] of (await listTables(session)).entries()) {
    const rows = copyOut(session, `${name} (${columns.join(", ")})`);
    const stored = await writeMember(path.join(part, toTablePath(index)), rows, writing);
    tables.push({ name, columns, rows: await countRows(session, name), ...stored });
  }
  const migrations = await session<Manifest["migrations"]>`select name, hash from platform.migration order by name`;
  const dataKeys = await session.values<string>`select id from platform.data_key order by id`;
  const uploads = await session.values<string>`select name from platform.upload order by name`;
  // Sequences are not part of the snapshot. They are read last, so that no copied row has a number beyond its sequence.
  const sequences = await readSequences(session);
  await session.script("commit");
  return { migrations: [...migrations], dataKeys, tables, sequences, uploads };
}

async function copyFiles(
  store: FileStore,
  names: readonly string[],
  { part, previous, ...writing }: Writing & { readonly part: string; readonly previous: Backup | undefined },
): Promise<StoredFile[]> {
  const isSameKey = previous?.key === writing.key;
  const before = new Map(isSameKey ? previous.manifest.files.map((file) => [file.name, file]) : []);
  const all: StoredFile[] = [];
  for (const name of names) {
    writing.signal?.throwIfAborted();
    const target = path.join(part, toFilePath(name));
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    const known = before.get(name);
    const copy = async (): Promise<StoredFile | undefined> => {
      const opened = await store.open(name);
      return opened && { name, ...(await writeMember(target, opened.stream, writing)) };
    };
    // Files are immutable, so their copies in the previous backup are hard-linked if that is possible.
    const linked = known && link(path.join(previous?.folder ?? "", toFilePath(name)), target).then(() => known);
    const stored = await (linked?.catch(copy) ?? copy());
    // The file may be missing, because a file is deleted before its row.
    if (stored) all.push(stored);
  }
  return all;
}
