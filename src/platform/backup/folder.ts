import { open, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";

// The folder of an incomplete backup ends with ".part" and is ignored.

const idForm = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;
const unfinished = ".part";

/** A backup's id is its start time, so ids sort by time. */
export const toMoment = (id: string): Date => new Date(id.replace(/T(\d\d)-(\d\d)-/, "T$1:$2:"));

export function refuseFolder(folder: string, cause: NodeJS.ErrnoException): never {
  const isNone = cause.code === "ENOTDIR" || cause.code === "EEXIST";
  const why = isNone ? "is not a usable backup folder" : `cannot be created or read (${cause.code})`;
  throw Object.assign(new Error(`${folder} ${why}`, { cause }), { code: cause.code });
}

/**
 * Returns the ids of all complete backups, oldest first.
 * @throws {Error} if the folder exists but cannot be read
 */
export async function listBackups(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") refuseFolder(folder, error);
    return [];
  });
  return names.filter((name) => idForm.test(name)).toSorted();
}

export async function findBackup(address: string): Promise<string> {
  if (idForm.test(path.basename(path.resolve(address)))) return address;
  const newest = (await listBackups(address)).at(-1);
  if (newest === undefined) throw new Error(`${address} contains no complete backup`);
  return path.join(address, newest);
}

export const toUnfinished = (folder: string, id: string): string => path.join(folder, id + unfinished);

export async function finishBackup(folder: string, id: string): Promise<void> {
  const part = toUnfinished(folder, id);
  const subfolders = (await readdir(part, { recursive: true, withFileTypes: true })).filter((one) => one.isDirectory());
  for (const { parentPath, name } of subfolders) await sync(path.join(parentPath, name));
  await sync(part);
  await rename(part, path.join(folder, id));
  await sync(folder);
}

async function sync(folder: string): Promise<void> {
  await using handle = await open(folder, "r");
  await handle.sync();
}

export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith(unfinished) && idForm.test(name.slice(0, -unfinished.length)))
      await rm(path.join(folder, name), { recursive: true, force: true });
}

export async function prune(folder: string, keep: number): Promise<void> {
  for (const id of (await listBackups(folder)).slice(0, -keep)) {
    await rename(path.join(folder, id), toUnfinished(folder, id));
    await rm(toUnfinished(folder, id), { recursive: true, force: true });
  }
}
