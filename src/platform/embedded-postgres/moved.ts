import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { DataDirInUse, lockDataDir } from "./data-lock.ts";

// After a move to another PostgreSQL, a start without DATABASE_URL would silently continue with the old data. A file
// marks the old data as moved, so that such a start is refused.

const toMark = (home: string): string => path.join(home, "moved");

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

export async function refuseMoved(home: string): Promise<void> {
  const since = await readFile(toMark(home), "utf8").catch(() => undefined);
  if (since === undefined) return;
  throw new Error(
    `The database in ${home} was moved to another PostgreSQL on ${since.trim()}: set DATABASE_URL, or delete ${toMark(home)} to continue with the old one`,
  );
}
