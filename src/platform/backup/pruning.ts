import { filesFolder, folderOf, listBackups, readAdded, readManifest } from "./manifest.ts";
import type { BackupPlace } from "./place.ts";

/** Removes what backups that were cut off have left; whoever calls it has the backups' lock. */
export async function removeUnfinished(place: BackupPlace): Promise<void> {
  for (const { id, whole } of await listBackups(place)) if (!whole) await removeBackup(place, id);
}

/** The manifest goes first: what is half removed is no backup. */
async function removeBackup(place: BackupPlace, id: string): Promise<void> {
  await place.remove(`${folderOf(id)}/manifest.json`);
  for await (const { name } of place.list(folderOf(id))) await place.remove(name);
}

/** Removes all whole backups but the newest `keep`, and the uploaded files that no backup needs any more. */
export async function prune(place: BackupPlace, keep: number): Promise<void> {
  const whole = (await listBackups(place)).filter((one) => one.whole).map(({ id }) => id);
  const old = whole.slice(0, Math.max(0, whole.length - keep));
  for (const id of old) await removeBackup(place, id);
  if (old.length > 0) await removeUnneeded(place, whole.slice(old.length));
}

// What follows a backup is stored before it is written down.
const freshMs = 3_600_000;

async function removeUnneeded(place: BackupPlace, kept: readonly string[]): Promise<void> {
  const needed = new Set<string>();
  for (const id of kept) {
    const { files } = await readManifest(place, id);
    for (const { name } of [...files, ...(await readAdded(place, id))]) needed.add(name);
  }
  for await (const { name, modifiedAt } of place.list(filesFolder))
    if (!needed.has(name) && modifiedAt < Date.now() - freshMs) await place.remove(name);
}
