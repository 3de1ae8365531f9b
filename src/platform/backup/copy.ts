import { createReadStream } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import path from "node:path";
import { Transform } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { type Digest, join, pack, packSmall } from "./digest.ts";
import { folderOf, type Stored } from "./manifest.ts";
import { type BackupPlace, smallBytes } from "./place.ts";

// What PostgreSQL makes anew when it starts, or must not find: the log comes by itself, slots belong to the cluster that has them.
const emptied = new Set([
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
]);
const leftOut =
  /^(?:postmaster\.(?:pid|opts)|backup_label.*|tablespace_map.*|current_logfiles|pg_internal\.init.*|pgsql_tmp.*|.*\.signal)$/;

/** What of it a backup may take from whoever else reads that disk. */
const mostBytesPerSecond = 64 * 1024 ** 2;

export interface Listed {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

/** The folders and files of a cluster that a backup takes, with slashes. @throws {Error} where a tablespace lies elsewhere. */
export async function listCluster(cluster: string): Promise<Listed> {
  const folders: string[] = [];
  const files: string[] = [];
  const walk = async (below: string): Promise<void> => {
    const entries = await readdir(path.join(cluster, below), { withFileTypes: true }).catch(ignoreMissing);
    for (const entry of entries ?? []) {
      const name = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isSymbolicLink())
        throw new Error(`${name} lies elsewhere: a cluster with tablespaces is not backed up`);
      if (leftOut.test(entry.name)) continue;
      if (entry.isDirectory()) {
        folders.push(name);
        if (!emptied.has(name)) await walk(name);
      } else files.push(name);
    }
  };
  await walk("");
  // In no backup are they part of the cluster's own files, and PostgreSQL does not start without them.
  return { folders: [...folders, "pg_wal/archive_status", "pg_wal/summaries"], files };
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

export interface CopiedCluster {
  readonly files: readonly Stored[];
  readonly unpackedBytes: number;
}

/** A cluster has a thousand small files, and a bucket or a disk that must have each for sure answers each late. */
export const filesAtOnce = 4;

export interface CopyTarget {
  readonly place: BackupPlace;
  readonly id: string;
  /** Called after each file. */
  readonly between: () => Promise<void>;
}

/** Copies the files of a running cluster. What goes away meanwhile is left out, what is torn is mended by the log. */
export async function copyCluster(
  cluster: string,
  files: readonly string[],
  { place, id, between }: CopyTarget,
): Promise<CopiedCluster> {
  const copied: Stored[] = [];
  let unpackedBytes = 0;
  const startMs = performance.now();
  const copyOne = async (file: string): Promise<void> => {
    // Opened first: what is removed after that can still be read.
    const handle = await open(path.join(cluster, ...file.split("/"))).catch(ignoreMissing);
    if (!handle) return;
    const name = `${folderOf(id)}/cluster/${file}.zst`;
    const { digest, bytes } = await putPacked(place, name, handle);
    copied.push({ name, ...digest });
    unpackedBytes += bytes;
    const aheadMs = (unpackedBytes / mostBytesPerSecond) * 1000 - (performance.now() - startMs);
    if (aheadMs > 100) await delay(aheadMs);
  };
  for (let from = 0; from < files.length; from += filesAtOnce) {
    await Promise.all(files.slice(from, from + filesAtOnce).map(copyOne));
    await between();
  }
  return { files: copied, unpackedBytes };
}

async function putPacked(
  place: BackupPlace,
  name: string,
  handle: FileHandle,
): Promise<{ readonly digest: Digest; readonly bytes: number }> {
  if ((await handle.stat()).size <= smallBytes) {
    const content = await readAndClose(handle);
    return { digest: await place.put(name, await packSmall(content)), bytes: content.length };
  }
  const counted = count(createReadStream("", { fd: handle, highWaterMark: 256 * 1024 }));
  const digest = await place.put(name, pack(counted.content));
  return { digest, bytes: counted.bytes() };
}

async function readAndClose(handle: FileHandle): Promise<Buffer> {
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function count(content: ReturnType<typeof createReadStream>): { content: Transform; bytes: () => number } {
  let bytes = 0;
  const counting = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      done(undefined, piece);
    },
  });
  return { content: join(content, counting), bytes: () => bytes };
}
