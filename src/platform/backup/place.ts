import { randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { openClient } from "#platform/files/bucket/client.ts";
import { putFile } from "#platform/files/bucket/putting.ts";
import { openFile } from "#platform/files/bucket/reading.ts";
import type { Bucket } from "#platform/files/bucket/settings.ts";
import { type Digest, digestInto, digestOf } from "./digest.ts";

/** What is small is handed over as it is: of a cluster's thousand files nearly all are, and a stream costs more than they do. */
export type Content = Readable | Buffer;

export const smallBytes = 1024 ** 2;

export interface PlacedFile {
  readonly name: string;
  readonly modifiedAt: number;
}

/** Where backups lie: a folder, or a bucket. Names are paths with slashes, of the backups' own making. */
export interface BackupPlace {
  /** For people; holds no secret. */
  readonly describe: string;
  /** Stores something under a name, whole or not at all, in place of what was there. */
  put(name: string, content: Content): Promise<Digest>;
  /** What was put before outlives a power cut when this returns. */
  settle(): Promise<void>;
  read(name: string): Promise<Readable | undefined>;
  /** The same for what is small. */
  readWhole(name: string): Promise<Buffer | undefined>;
  /** All that lies below a folder, "" for everything. */
  list(folder: string): AsyncGenerator<PlacedFile>;
  /** What is not there is no error. */
  remove(name: string): Promise<void>;
}

const unfinished = /\.part-[0-9a-f]+$/;

/** A folder of this machine, or one that is mounted. */
export function openFolderPlace(folder: string): BackupPlace {
  const root = path.resolve(folder);
  const at = (name: string): string => path.join(root, ...name.split("/"));
  const unsettled = new Set<string>();
  return {
    describe: root,
    async put(name, content) {
      const target = at(name);
      await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
      const digest = await writeWhole(target, content);
      unsettled.add(target);
      return digest;
    },
    async settle() {
      const files = [...unsettled];
      unsettled.clear();
      await syncAll(files);
    },
    read: async (name) => ((await isFile(at(name))) ? createReadStream(at(name)) : undefined),
    readWhole: (name) => readFile(at(name)).catch(ignoreMissing),
    list: (below) => walk(root, below),
    async remove(name) {
      await rm(at(name), { force: true });
      await removeEmpty(path.dirname(at(name)), root);
    },
  };
}

/** Writes beside, and renames what has arrived: a file under its own name is whole. Its mode is 0600. */
export async function writeWhole(target: string, content: Content): Promise<Digest> {
  const part = `${target}.part-${randomBytes(4).toString("hex")}`;
  try {
    const digest = await writeTo(part, content);
    await rename(part, target);
    return digest;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function writeTo(file: string, content: Content): Promise<Digest> {
  if (!Buffer.isBuffer(content)) return digestInto(content, createWriteStream(file, { mode: 0o600 }));
  await writeFile(file, content, { mode: 0o600 });
  return digestOf(content);
}

/** Of a thousand files together, rather than each as it comes: most have reached the disk by then. */
export async function syncAll(files: readonly string[]): Promise<void> {
  for (const file of files) await sync(file);
  // Windows cannot open a folder, and needs no such call.
  if (process.platform !== "win32") for (const folder of new Set(files.map(path.dirname))) await sync(folder);
}

async function sync(target: string): Promise<void> {
  const handle = await open(target, "r").catch(ignoreMissing);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

const isFile = async (file: string): Promise<boolean> => (await stat(file).catch(() => undefined))?.isFile() === true;

async function* walk(root: string, below: string): AsyncGenerator<PlacedFile> {
  const entries = await readdir(path.join(root, below), { withFileTypes: true }).catch(ignoreMissing);
  for (const entry of entries ?? []) {
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(root, name);
    else if (!unfinished.test(name)) {
      const found = await stat(path.join(root, name)).catch(ignoreMissing);
      if (found) yield { name, modifiedAt: found.mtimeMs };
    }
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/** A bucket has no folders; here those go that hold nothing but what was cut off. */
async function removeEmpty(folder: string, root: string): Promise<void> {
  if (!folder.startsWith(root + path.sep)) return;
  const names = await readdir(folder).catch(() => ["?"]);
  if (!names.every((name) => unfinished.test(name))) return;
  await rm(folder, { recursive: true, force: true });
  await removeEmpty(path.dirname(folder), root);
}

/** @param spool a folder of this machine: what goes into a bucket must be known to its last byte before its first is sent. */
export function openBucketPlace(bucket: Bucket, spool: string): BackupPlace {
  const client = openClient(bucket);
  const key = (name: string): string => bucket.prefix + name;
  return {
    describe: `s3://${bucket.bucket}/${bucket.prefix}`,
    async put(name, content) {
      await mkdir(spool, { recursive: true, mode: 0o700 });
      const file = path.join(spool, randomBytes(8).toString("hex"));
      try {
        const digest = await writeTo(file, content);
        const sha256 = Buffer.from(digest.sha256, "hex");
        await putFile(client, key(name), { path: file, bytes: digest.bytes, sha256 });
        return digest;
      } finally {
        await rm(file, { force: true });
      }
    },
    // A store has what it says it has.
    settle: async () => {},
    read: async (name) => (await openFile(client, key(name)))?.stream,
    async readWhole(name) {
      const opened = await openFile(client, key(name));
      return opened && (await buffer(opened.stream));
    },
    async *list(below) {
      const objects = await client.listObjects("/", key(below === "" ? "" : `${below}/`));
      for (const { Key, LastModified } of objects ?? [])
        yield { name: Key.slice(bucket.prefix.length), modifiedAt: LastModified.getTime() };
    },
    async remove(name) {
      await client.deleteObject(key(name));
    },
  };
}

/** Reads a small file of a place as text. */
export const readText = async (place: BackupPlace, name: string): Promise<string | undefined> =>
  (await place.readWhole(name))?.toString("utf8");

export const putText = (place: BackupPlace, name: string, text: string): Promise<Digest> =>
  place.put(name, Buffer.from(text));
