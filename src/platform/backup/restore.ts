import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type { Pool } from "#platform/database/index.ts";
import { type FileStore, toPlace } from "#platform/files/file-store.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";
import { findBackup } from "./folder.ts";
import { loadBackupKeys } from "./keys.ts";
import { loadDatabase, markRestore, requireEmptyDatabase, requireKnownSchema } from "./load.ts";
import { type Backup, checkMembers, readManifest, type StoredFile, toFilePath } from "./manifest.ts";
import { openDigest, readMember } from "./member.ts";

export interface OpenOptions {
  readonly keyring: Keyring;
  readonly dataDir: string;
  /** Takes also a backup whose key is lost. */
  readonly anyKey?: boolean | undefined;
}

/**
 * Opens the backup of a folder, or the newest there, and holds every byte of it against what was written.
 * @throws {Error} of one line when it was changed, is incomplete, of another version or of other keys
 */
export async function openBackup(from: string, { keyring, dataDir, anyKey }: OpenOptions): Promise<Backup> {
  const keys = await loadBackupKeys(keyring, dataDir);
  const backup = await readManifest(await findBackup(from), keys, anyKey);
  await requireKnownSchema(backup.manifest);
  const missing = backup.manifest.dataKeys.filter((id) => !keyring.ids.includes(id));
  if (missing.length > 0)
    throw new Error(`the backup has values that the data key ${missing.join(", ")} has sealed: set DATA_KEY to it`);
  await checkMembers(backup);
  return backup;
}

export interface Target {
  /** As the owner of its tables, or who is to be. */
  readonly pool: Pool;
  /** Of the same database as the server, past a pooler. */
  readonly url: string;
  readonly files: FileStore;
  /** A folder on the disk of the files, which is gone again afterwards. */
  readonly spool: string;
}

/**
 * Restores a backup into an empty database and a store that has none but its files. Nobody is signed in afterwards.
 * @throws {Error} of one line when something else is there
 */
export async function restore(backup: Backup, { pool, url, files, spool }: Target): Promise<void> {
  await requireEmptyDatabase(pool);
  const there = await listStored(files, backup);
  await markRestore(pool);
  await rm(spool, { recursive: true, force: true });
  await mkdir(spool, { recursive: true, mode: 0o700 });
  for (const file of backup.manifest.files) if (!there.has(file.name)) await restoreFile(backup, file, files, spool);
  await loadDatabase(backup, pool, url);
  await rm(spool, { recursive: true, force: true });
}

/** Files that are there already: of a restore that was cut off, or since they stay where they are. */
async function listStored(files: FileStore, { manifest }: Backup): Promise<ReadonlySet<string>> {
  const wanted = new Set(manifest.files.map(({ name }) => name));
  const there = new Set<string>();
  for await (const names of files.listOlder(0))
    for (const name of names) {
      if (!wanted.has(name)) throw new Error(`the store of uploaded files holds others (${toPlace(name)}): empty it`);
      there.add(name);
    }
  return there;
}

async function restoreFile(backup: Backup, file: StoredFile, store: FileStore, spool: string): Promise<void> {
  const local = path.join(spool, file.name);
  const digest = openDigest();
  const content = readMember(path.join(backup.folder, toFilePath(file.name)), file, backup.key);
  await pipeline(content, digest.pass, createWriteStream(local, { mode: 0o600 }));
  const { bytes, sha256 } = digest.result();
  await store.put(file.name, { path: local, bytes, sha256: Buffer.from(sha256, "hex") });
  await rm(local, { force: true });
}
