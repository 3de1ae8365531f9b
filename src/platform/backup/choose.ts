import { folderOf, isBackupId, listWhole, type Manifest, readManifest } from "./manifest.ts";
import type { BackupPlace } from "./place.ts";

/** A place, and the one backup in it that an address may end with. */
export interface BackupAddress {
  readonly place: string;
  readonly id?: string;
}

/** Reads `<place>` or `<place>/<id>`, the id also with `backups` before it. */
export function readBackupAddress(address: string): BackupAddress {
  const [, before = "", id = ""] = /^(.*?)(?:[/\\]backups)?[/\\]([^/\\]+)[/\\]?$/.exec(address) ?? [];
  return before !== "" && isBackupId(id) ? { place: before, id } : { place: address };
}

/**
 * The backup that is named, or the one whose log goes furthest; with `to` the newest that ended before and whose log goes as
 * far, or else furthest.
 * @throws {Error} of one line when there is none.
 */
export async function chooseBackup(place: BackupPlace, id: string | undefined, to?: Date): Promise<Manifest> {
  const ids = id === undefined ? (await listWhole(place)).toReversed() : [id];
  const all = await Promise.all(
    ids.map(async (each) => ({ manifest: await readManifest(place, each), reach: await findReach(place, each) })),
  );
  const fit = all.filter(({ manifest }) => !to || Date.parse(manifest.endedAt) <= to.getTime());
  const reaching = to && fit.find(({ reach }) => reach >= to.getTime());
  const chosen = reaching ?? fit.toSorted((a, b) => b.reach - a.reach)[0];
  if (chosen) return chosen.manifest;
  const before = to ? ` that ended before ${to.toISOString()}` : "";
  throw new Error(`there is no whole backup in ${place.describe}${before}`);
}

/** When the last of its log was stored: a backup that was made by hand has none after its own. */
async function findReach(place: BackupPlace, id: string): Promise<number> {
  let reach = 0;
  for await (const { modifiedAt } of place.list(`${folderOf(id)}/log`)) reach = Math.max(reach, modifiedAt);
  return reach;
}
