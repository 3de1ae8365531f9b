import path from "node:path";
import { DatabaseSync } from "node:sqlite";

export class DataDirInUse extends Error {}

const contestMs = 1000;
const busy = 5;

/**
 * Locks an existing folder until `release()` or the end of the process. The lock is SQLite's file lock, which the
 * system releases when the process ends, but not while the process is only suspended.
 * @throws {DataDirInUse} if another process holds the lock; {Error} if the folder is not writable
 */
export function lockDataDir(folder: string): { release: () => void } {
  try {
    const lock = new DatabaseSync(path.join(folder, "server.lock"), { timeout: contestMs });
    lock.exec("begin exclusive");
    return { release: () => lock.close() };
  } catch (cause) {
    const inUse = `Another Quintet server is using ${folder}: stop it first, or set DATA_DIR to another directory`;
    if ((cause as { errcode?: unknown }).errcode === busy) throw new DataDirInUse(inUse, { cause });
    const why = `${folder} is not writable for this user: start Quintet as its owner, or set DATA_DIR to another directory`;
    throw new Error(why, { cause });
  }
}
