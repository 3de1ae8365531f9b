import path from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Another living process has the data directory. */
export class DataDirInUse extends Error {}

/** So long the first of several that begin at once needs to get it. */
const contestMs = 1000;
const busy = 5;

/**
 * Takes the folder (which must exist) for this process until `release()`, or until the process ends in any way: SQLite locks a
 * file as the system does, which lets go of it with its owner, and not of one that is stopped.
 * @throws {Error} of one line when another living process has it.
 */
export function lockDataDir(folder: string): { release: () => void } {
  try {
    const lock = new DatabaseSync(path.join(folder, "server.lock"), { timeout: contestMs });
    lock.exec("begin exclusive");
    return { release: () => lock.close() };
  } catch (cause) {
    const inUse = `Another Quintet server is using ${folder}: stop it first, or set DATA_DIR to another directory`;
    if ((cause as { errcode?: unknown }).errcode === busy) throw new DataDirInUse(inUse, { cause });
    const why = `${folder} is not writable for this user: start as the user who made it, or set DATA_DIR`;
    throw new Error(why, { cause });
  }
}
