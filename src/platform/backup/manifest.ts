import { createHash } from "node:crypto";
import * as z from "zod";
import { type BackupPlace, putText, readText } from "./place.ts";

// What lies in a place:
//   place.json                       whose backups these are
//   backups/<id>/cluster/….zst       the files of PostgreSQL, as they were read
//   backups/<id>/log/….zst           its write-ahead log: from the beginning of the copy on, and what followed it
//   backups/<id>/added/<n>.json      uploaded files that came after it
//   backups/<id>/manifest.json       written last: without it there is no backup
//   files/ab/ab12….png               uploaded files, which never change, once for all backups
//
// The log that follows a backup lies beside it alone, so that a cluster which was restored, and goes on along another
// timeline, never meets the log of the one before.

const stored = z.object({ name: z.string(), bytes: z.number(), sha256: z.string() });

/** A file of a place. */
export type Stored = z.infer<typeof stored>;

const manifest = z.object({
  format: z.literal(1),
  id: z.string(),
  startedAt: z.iso.datetime(),
  /** The earliest moment that it can be restored to. */
  endedAt: z.iso.datetime(),
  postgres: z.string(),
  /** Of the cluster: in decimal digits. */
  system: z.string(),
  timeline: z.string(),
  /** Numbers of segments of the log, the first and the last that belong to the copy itself. */
  firstSegment: z.number(),
  lastSegment: z.number(),
  /** Folders of the cluster; empty ones have to be made. */
  folders: z.array(z.string()),
  /** Bytes of the cluster once unpacked. */
  unpackedBytes: z.number(),
  cluster: z.array(stored),
  log: z.array(stored),
  files: z.array(stored),
});

export type Manifest = z.infer<typeof manifest>;

/** Of the moment at which it began; they sort by time. */
export const toBackupId = (at: Date): string => at.toISOString().replaceAll(":", "-");

const idForm = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;
export const isBackupId = (text: string): boolean => idForm.test(text);

export const folderOf = (id: string): string => `backups/${id}`;
export const filesFolder = "files";
const manifestOf = (id: string): string => `${folderOf(id)}/manifest.json`;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The last thing that is written: it makes the files before it a backup. */
export async function writeManifest(place: BackupPlace, backup: Manifest): Promise<void> {
  await writeChecked(place, manifestOf(backup.id), backup);
}

/** A text with its own checksum, safe when this returns, and so is all that was put before. */
export async function writeChecked(place: BackupPlace, name: string, value: unknown): Promise<void> {
  const text = JSON.stringify(value);
  await place.settle();
  await putText(place, name, `{"sha256":"${hashOf(text)}","value":${text}}\n`);
  await place.settle();
}

async function readChecked<T>(place: BackupPlace, name: string, shape: z.ZodType<T>): Promise<T | undefined> {
  const text = await readText(place, name);
  if (text === undefined) return undefined;
  const { sha256, value } = checked.safeParse(parse(text)).data ?? {};
  const { success, data } = shape.safeParse(value);
  if (!success || hashOf(JSON.stringify(value)) !== sha256)
    throw new Error(`${name} is damaged: it is not what was written`);
  return data;
}

const checked = z.object({ sha256: z.string(), value: z.unknown() });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws {Error} when it is damaged, or there is none. */
export async function readManifest(place: BackupPlace, id: string): Promise<Manifest> {
  const found = await readChecked(place, manifestOf(id), manifest);
  if (!found) throw new Error(`there is no whole backup ${id} in ${place.describe}`);
  return found;
}

/** Uploaded files that came after a backup, as they were written down beside it. */
export async function readAdded(place: BackupPlace, id: string): Promise<Stored[]> {
  const added: Stored[] = [];
  for await (const { name } of place.list(`${folderOf(id)}/added`))
    added.push(...((await readChecked(place, name, z.array(stored))) ?? []));
  return added;
}

/** The ids that have a folder, oldest first, and whether each is whole. */
export async function listBackups(place: BackupPlace): Promise<{ readonly id: string; readonly whole: boolean }[]> {
  const found = new Map<string, boolean>();
  for await (const { name } of place.list("backups")) {
    const [, id = "", rest] = name.split("/");
    if (isBackupId(id)) found.set(id, found.get(id) === true || rest === "manifest.json");
  }
  return [...found].map(([id, whole]) => ({ id, whole })).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

export const listWhole = async (place: BackupPlace): Promise<string[]> =>
  (await listBackups(place)).filter(({ whole }) => whole).map(({ id }) => id);

const owner = z.object({ format: z.literal(1), system: z.string() });
const ownerFile = "place.json";

/**
 * Makes sure that a place is for the backups of this cluster.
 * @throws {Error} when it holds something else, or the backups of another cluster.
 */
export async function claimPlace(place: BackupPlace, system: string): Promise<void> {
  const found = await readChecked(place, ownerFile, owner);
  if (found && found.system !== system)
    throw new Error(`${place.describe} holds the backups of another database: choose another place`);
  if (found) return;
  for await (const { name } of place.list(""))
    throw new Error(`${place.describe} holds something else (${name.slice(0, 80)}): choose an empty place`);
  await writeChecked(place, ownerFile, { format: 1, system });
}
