import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { DataDirInUse, lockDataDir } from "./data-lock.ts";

// Whoever has moved to another PostgreSQL and then starts without its address would go on with the old rows unawares.

const toMark = (home: string): string => path.join(home, "moved");

/** Marks the database of a folder as moved elsewhere. Returns where it lies; undefined where there is none, or a server has it. */
export async function markMoved(dataDir: string): Promise<string | undefined> {
  const home = path.join(dataDir, "postgres");
  if (!(await stat(path.join(home, "cluster")).catch(() => undefined))) return undefined;
  try {
    const lock = lockDataDir(home);
    await writeFile(toMark(home), `${new Date().toISOString()}\n`, { mode: 0o600 }).finally(() => lock.release());
    return home;
  } catch (error) {
    if (error instanceof DataDirInUse) return undefined;
    throw error;
  }
}

/** @throws {Error} of one line where it was marked */
export async function refuseMoved(home: string): Promise<void> {
  const since = await readFile(toMark(home), "utf8").catch(() => undefined);
  if (since === undefined) return;
  throw new Error(
    `The database in ${home} was moved to another PostgreSQL on ${since.trim()}: set DATABASE_URL, or, to go on with the old one all the same, remove ${toMark(home)}`,
  );
}
