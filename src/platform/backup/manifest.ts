import { createSecretKey, randomBytes } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { parseJson } from "#platform/contract/json.ts";
import { isFileName, toStoragePath } from "#platform/files/file-store.ts";
import { authenticate, type BackupKey, isAuthentic } from "./keys.ts";
import { readChecked } from "./member.ts";

// What lies in the folder of a backup:
//   manifest.json        what it holds, with the checksum of each file
//   manifest.mac         by which the manifest is authenticated
//   tables/1, …          the rows of a table, as COPY writes them in text, packed and perhaps encrypted
//   files/ab/ab12….png   uploaded files, likewise
// Paths are made of numbers and of names that the store of files takes, never read out of a manifest.

const stored = z.strictObject({
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  salt: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
});

const manifest = z.strictObject({
  format: z.literal(1),
  id: z.string(),
  /** Names and hashes of the migrations that the database has had. */
  migrations: z.array(z.strictObject({ name: z.string(), hash: z.string() })),
  /** Of the data keys that may have sealed something in it. */
  dataKeys: z.array(z.string()),
  /** Names as PostgreSQL quotes them; they are looked up where the backup is restored, and never taken as they are. */
  tables: z.array(stored.extend({ name: z.string(), columns: z.array(z.string()), rows: z.int().nonnegative() })),
  sequences: z.array(
    z.strictObject({ name: z.string(), last: z.string().regex(/^-?\d{1,19}$/), isCalled: z.boolean() }),
  ),
  /** Uploaded files, by their names in the store. */
  files: z.array(stored.extend({ name: z.string().refine(isFileName) })),
});

export type Manifest = z.infer<typeof manifest>;
export type StoredTable = Manifest["tables"][number];
export type StoredFile = Manifest["files"][number];

/** A backup whose manifest is authentic. */
export interface Backup {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly key: BackupKey;
}

const manifestName = "manifest.json";
const macName = "manifest.mac";

export const toTablePath = (index: number): string => `tables/${index + 1}`;
export const toFilePath = (name: string): string => `files/${toStoragePath(name)}`;

/** The last files of a backup. */
export async function writeManifest({ folder, manifest: content, key }: Backup): Promise<void> {
  const text = Buffer.from(JSON.stringify(content));
  const write = (name: string, what: string | Buffer): Promise<void> =>
    writeFile(path.join(folder, name), what, { mode: 0o600, flag: "wx", flush: true });
  await write(manifestName, text);
  await write(macName, authenticate(key, text));
}

/**
 * Reads a manifest. @param anyKey takes also one that a lost key has authenticated, as long as it is not encrypted
 * @throws {Error} of one line when there is none, or none of the keys has made it
 */
export async function readManifest(folder: string, keys: readonly BackupKey[], anyKey = false): Promise<Backup> {
  const [text, code] = await Promise.all(
    [manifestName, macName].map((name) => readFile(path.join(folder, name)).catch(() => undefined)),
  );
  if (!text || !code) throw new Error(`there is no whole backup in ${folder}`);
  // It opens what is not encrypted, and authenticates nothing.
  const keyless = anyKey ? { mac: createSecretKey(randomBytes(32)) } : undefined;
  const key: BackupKey | undefined = keys.find((one) => isAuthentic(one, text, code.toString("latin1"))) ?? keyless;
  if (!key)
    throw new Error(
      `${folder} was changed, or made with a key that is not here: set the DATA_KEY of its time (also as DATA_KEY_OLD), or put that installation's backup-key into DATA_DIR`,
    );
  const { success, data } = manifest.safeParse(parseJson(text.toString()));
  if (!success) throw new Error(`the manifest of ${folder} is not one that this version knows`);
  if (data.id !== path.basename(path.resolve(folder)))
    throw new Error(`${folder} was renamed: it is the backup ${data.id}`);
  if (!key.cipher && data.tables.some(({ salt }) => salt !== undefined))
    throw new Error(`${folder} is encrypted, and its key is not here`);
  return { folder, manifest: data, key };
}

/** @throws {Error} of one line that names a file which is missing, damaged, or not the backup's */
export async function checkMembers({ folder, manifest: { tables, files } }: Backup): Promise<void> {
  const members = new Map([
    ...tables.map((table, index) => [toTablePath(index), table] as const),
    ...files.map((file) => [toFilePath(file.name), file] as const),
  ]);
  const found = new Set<string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const name = path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/");
    if (!entry.isFile() || !(members.has(name) || name === manifestName || name === macName))
      throw new Error(`${name} in ${folder} is no file of the backup`);
    found.add(name);
  }
  for (const [name, member] of members) {
    if (!found.has(name)) throw new Error(`${name} is missing in ${folder}`);
    for await (const _piece of readChecked(path.join(folder, name), member));
  }
}
