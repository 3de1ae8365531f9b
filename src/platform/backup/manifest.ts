import { createSecretKey, randomBytes } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { parseJson } from "#platform/contract/json.ts";
import { isFileName, toStoragePath } from "#platform/files/file-store.ts";
import { authenticate, type BackupKey, isAuthentic } from "./keys.ts";
import { readChecked } from "./member.ts";

// The folder of a backup contains:
//   manifest.json        its contents, with a checksum per file
//   manifest.mac         the manifest's authentication code
//   tables/1, …          the rows of a table in COPY text, compressed and possibly encrypted
//   files/ab/ab12….png   the uploaded files, also compressed and possibly encrypted
// Paths are built from numbers and validated names, never read from a manifest.

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
  migrations: z.array(z.strictObject({ name: z.string(), hash: z.string() })),
  dataKeys: z.array(z.string()),
  /** The names are compared with those in the target database before they are used in a statement. */
  tables: z.array(stored.extend({ name: z.string(), columns: z.array(z.string()), rows: z.int().nonnegative() })),
  sequences: z.array(
    z.strictObject({ name: z.string(), last: z.string().regex(/^-?\d{1,19}$/), isCalled: z.boolean() }),
  ),
  files: z.array(stored.extend({ name: z.string().refine(isFileName) })),
});

export type Manifest = z.infer<typeof manifest>;
export type StoredTable = Manifest["tables"][number];
export type StoredFile = Manifest["files"][number];

export interface Backup {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly key: BackupKey;
}

const manifestName = "manifest.json";
const macName = "manifest.mac";

export const toTablePath = (index: number): string => `tables/${index + 1}`;
export const toFilePath = (name: string): string => `files/${toStoragePath(name)}`;

export async function writeManifest({ folder, manifest: content, key }: Backup): Promise<void> {
  const text = Buffer.from(JSON.stringify(content));
  const write = (name: string, what: string | Buffer): Promise<void> =>
    writeFile(path.join(folder, name), what, { mode: 0o600, flag: "wx", flush: true });
  await write(manifestName, text);
  await write(macName, authenticate(key, text));
}

/**
 * @param anyKey also accepts a backup whose key is lost, if the backup is not encrypted
 * @throws {Error} if the manifest is missing, unreadable or not authentic, the folder was renamed, or the backup is
 * encrypted and its key is missing
 */
export async function readManifest(folder: string, keys: readonly BackupKey[], anyKey = false): Promise<Backup> {
  const [text, code] = await Promise.all(
    [manifestName, macName].map((name) => readFile(path.join(folder, name)).catch(() => undefined)),
  );
  if (!text || !code) throw new Error(`${folder} contains no complete backup`);
  // If the key is lost, a random key takes its place: nothing can be authenticated with it, but an unencrypted backup
  // can be read.
  const keyless = anyKey ? { mac: createSecretKey(randomBytes(32)) } : undefined;
  const key: BackupKey | undefined = keys.find((one) => isAuthentic(one, text, code.toString("latin1"))) ?? keyless;
  if (!key)
    throw new Error(
      `${folder} was modified, or was made with another key: set its DATA_KEY (or DATA_KEY_OLD), or copy that installation's backup-key into DATA_DIR`,
    );
  const { success, data } = manifest.safeParse(parseJson(text.toString()));
  if (!success)
    throw new Error(`the manifest of ${folder} is unreadable: it was made by another version or is damaged`);
  if (data.id !== path.basename(path.resolve(folder)))
    throw new Error(`${folder} was renamed: it is the backup ${data.id}`);
  if (!key.cipher && data.tables.some(({ salt }) => salt !== undefined))
    throw new Error(`${folder} is encrypted and its key is missing`);
  return { folder, manifest: data, key };
}

/**
 * Checks that the folder contains exactly the files of the manifest, undamaged.
 * @throws {Error} that names the first missing, damaged or unexpected file
 */
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
      throw new Error(`${name} in ${folder} does not belong to the backup`);
    found.add(name);
  }
  for (const [name, member] of members) {
    if (!found.has(name)) throw new Error(`${name} is missing from ${folder}`);
    for await (const _piece of readChecked(path.join(folder, name), member));
  }
}
