import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";

export interface StoredFile {
  readonly bytes: number;
  open(range?: { start: number; end: number }): Readable;
}

/** Where uploaded files are kept: the local disk now, an object store could take its place. */
export interface FileStore {
  /** Takes over a finished local file under the name; it is on disk when this returns. */
  put(name: string, localPath: string): Promise<void>;
  find(name: string): Promise<StoredFile | undefined>;
  /** Removing what is not there is no error. */
  remove(name: string): Promise<void>;
  /** The names of files that have lain there for so long, some at a time. */
  listOlder(ageMs: number): AsyncGenerator<string[]>;
}

// Names come from the platform alone; this keeps a mistake elsewhere from reaching another folder.
const safeName = /^[0-9a-z]{16,128}(?:\.[0-9a-z]{1,8})?$/;

/** A store below one folder of the local disk, spread over 256 subfolders. */
export function openLocalFiles(folder: string): FileStore {
  const place = (name: string): string => {
    if (!safeName.test(name)) throw new Error("not a name of the file store");
    return path.join(folder, name.slice(0, 2), name);
  };
  return {
    put: (name, localPath) => moveDurably(localPath, place(name)),
    find: (name) => findFile(place(name)),
    remove: (name) => rm(place(name), { force: true }),
    listOlder: (ageMs) => listOlder(folder, Date.now() - ageMs),
  };
}

async function* listOlder(folder: string, before: number): AsyncGenerator<string[]> {
  const subfolders = (await readdir(folder)).filter((name) => /^[0-9a-z]{2}$/.test(name));
  for (const subfolder of subfolders) {
    const names = (await readdir(path.join(folder, subfolder))).filter((name) => safeName.test(name));
    const old: string[] = [];
    for (const name of names) {
      const found = await stat(path.join(folder, subfolder, name)).catch(() => undefined);
      if (found && found.mtimeMs < before) old.push(name);
    }
    yield old;
  }
}

async function moveDurably(from: string, to: string): Promise<void> {
  const folder = path.dirname(to);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await syncPath(from);
  await rename(from, to);
  await syncPath(folder);
}

async function syncPath(target: string): Promise<void> {
  const handle = await open(target, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function findFile(place: string): Promise<StoredFile | undefined> {
  const found = await stat(place).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  return { bytes: found.size, open: (range) => createReadStream(place, range) };
}
