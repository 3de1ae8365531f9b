import type { Db } from "#platform/database/index.ts";
import { type FileStore, toPlace } from "#platform/files/file-store.ts";
import { filesFolder, listWhole, readAdded, readManifest, type Stored } from "./manifest.ts";
import type { BackupPlace } from "./place.ts";

export const toStoredName = (upload: string): string => `${filesFolder}/${toPlace(upload)}`;

/** What a place has of the uploaded files, by their names there: a file without a written checksum counts as missing. */
export async function listStoredFiles(place: BackupPlace): Promise<Map<string, Stored>> {
  const known = new Map<string, Stored>();
  for (const id of await listWhole(place)) {
    const { files } = await readManifest(place, id);
    for (const file of [...files, ...(await readAdded(place, id))]) known.set(file.name, file);
  }
  const there = new Map<string, Stored>();
  for await (const { name } of place.list(filesFolder)) {
    const file = known.get(name);
    if (file) there.set(name, file);
  }
  return there;
}

export interface CopiedFiles {
  /** All that rows name, in the place by now. */
  readonly all: readonly Stored[];
  /** Those of them that were not there before. */
  readonly added: readonly Stored[];
}

export interface Wanted {
  /** Files that the place has, to which those are added that it then has. */
  readonly there: Map<string, Stored>;
  /** Left out: all. */
  readonly since?: Date;
}

/** Copies the uploaded files that rows name and the place lacks. */
export async function storeUploads(
  db: Db,
  files: FileStore,
  place: BackupPlace,
  { there, since = new Date(0) }: Wanted,
): Promise<CopiedFiles> {
  const rows = await db<
    { name: string }[]
  >`select name from platform.upload where created_at >= ${since} order by name`;
  const all: Stored[] = [];
  const added: Stored[] = [];
  for (const row of rows) {
    const name = toStoredName(row.name);
    const stored = there.get(name) ?? (await storeUpload(files, place, row.name));
    // Its row goes with it: a file is removed before its row.
    if (!stored) continue;
    if (!there.has(name)) added.push(stored);
    there.set(name, stored);
    all.push(stored);
  }
  return { all, added };
}

async function storeUpload(files: FileStore, place: BackupPlace, upload: string): Promise<Stored | undefined> {
  const opened = await files.open(upload);
  if (!opened) return undefined;
  const name = toStoredName(upload);
  return { name, ...(await place.put(name, opened.stream)) };
}
