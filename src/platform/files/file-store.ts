import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";

export interface LocalFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: Buffer;
}

/** The caller must read or destroy the stream. */
export interface OpenedFile {
  readonly bytes: number;
  readonly stream: Readable;
}

/** Every method except `isReachable` throws the Problem outsideFailed if a remote store fails. */
export interface FileStore {
  readonly kind: "disk" | "s3";
  /** Stores the file atomically and durably. It may move the local file instead of copying it. */
  put(name: string, file: LocalFile): Promise<void>;
  stat(name: string): Promise<{ readonly bytes: number } | undefined>;
  open(name: string): Promise<OpenedFile | undefined>;
  /** Removing a file that does not exist is not an error. */
  remove(name: string): Promise<void>;
  listOlder(ageMs: number): AsyncGenerator<string[]>;
  isReachable(): Promise<boolean>;
}

// Only the platform chooses names; the check prevents a bug elsewhere from accessing files outside the folder.
const safeName = /^[0-9a-z]{16,128}(?:\.[0-9a-z]{1,8})?$/;

export const isFileName = (name: string): boolean => safeName.test(name);

export function toStoragePath(name: string): string {
  if (!isFileName(name)) throw new Error("invalid name of a stored file");
  return `${name.slice(0, 2)}/${name}`;
}

export function openLocalFiles(folder: string): FileStore {
  const place = (name: string): string => path.join(folder, toStoragePath(name));
  return {
    kind: "disk",
    async put(name, file) {
      const subfolder = path.dirname(place(name));
      await mkdir(subfolder, { recursive: true, mode: 0o700 });
      await syncPath(file.path);
      await rename(file.path, place(name));
      await syncPath(subfolder);
    },
    stat: async (name) => measure(place(name)),
    async open(name) {
      const found = await measure(place(name));
      return found && { ...found, stream: createReadStream(place(name)) };
    },
    remove: async (name) => rm(place(name), { force: true }),
    listOlder: (ageMs) => listOlder(folder, Date.now() - ageMs),
    isReachable: async () => true,
  };
}

async function* listOlder(folder: string, before: number): AsyncGenerator<string[]> {
  const subfolders = (await readdir(folder)).filter((name) => /^[0-9a-z]{2}$/.test(name));
  for (const subfolder of subfolders) {
    const names = (await readdir(path.join(folder, subfolder))).filter(isFileName);
    const old: string[] = [];
    for (const name of names) {
      const found = await stat(path.join(folder, subfolder, name)).catch(() => undefined);
      if (found && found.mtimeMs < before) old.push(name);
    }
    yield old;
  }
}

async function syncPath(target: string): Promise<void> {
  await using handle = await open(target, "r");
  await handle.sync();
}

async function measure(place: string): Promise<{ bytes: number } | undefined> {
  const found = await stat(place).catch(() => undefined);
  return found?.isFile() ? { bytes: found.size } : undefined;
}
