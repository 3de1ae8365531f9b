import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { openConnection } from "#platform/database/index.ts";
import { lockDataDir } from "#platform/embedded-postgres/data-lock.ts";
import type { Manifest } from "./manifest.ts";
import type { BackupPlace } from "./place.ts";
import { rebuild } from "./rebuild.ts";

export interface RestoreOptions {
  readonly place: BackupPlace;
  readonly manifest: Manifest;
  readonly dataDir: string;
  /** Left out: as far as the log goes. */
  readonly to?: Date | undefined;
}

const restoring = "restoring";
const answerMs = 600_000;

/** @throws {Error} while a restore into the folder was begun and is not finished. */
export async function refuseUnfinishedRestore(dataDir: string): Promise<void> {
  if ((await readdir(path.join(dataDir, restoring)).catch(() => [])).length > 0)
    throw new Error(`a restore into ${dataDir} was cut off: run it again, or remove ${restoring} there to begin anew`);
}

/**
 * Restores a backup into an empty data directory: beside its place first, so that nothing is there until all is. What was
 * cut off is gone on with when it is asked for again. Nobody is signed in afterwards.
 * @throws {Error} of one line when the folder is not empty or in use, or the backup is damaged.
 */
export async function restore({ place, manifest, dataDir, to }: RestoreOptions): Promise<void> {
  const home = path.join(dataDir, "postgres");
  await mkdir(home, { recursive: true, mode: 0o700 });
  const lock = await lockDataDir(home);
  try {
    const folder = path.join(dataDir, restoring);
    const goal = `${manifest.id} ${to?.toISOString() ?? "all"}\n`;
    await begin(dataDir, folder, goal);
    const done = path.join(folder, "done");
    if (!(await readdir(folder)).includes("done")) {
      await recover({ place, manifest, folder, to });
      await writeFile(done, goal, { mode: 0o600 });
    }
    await moveIfThere(path.join(folder, "files"), path.join(dataDir, "files"));
    await moveIfThere(path.join(folder, "postgres", "cluster"), path.join(home, "cluster"));
    await rm(folder, { recursive: true, force: true });
  } finally {
    await lock.release();
  }
}

async function begin(dataDir: string, folder: string, goal: string): Promise<void> {
  const goalFile = path.join(folder, "goal");
  const before = await readFile(goalFile, "utf8").catch(() => undefined);
  if (before === goal) return;
  if (before !== undefined)
    throw new Error(`another restore into ${dataDir} was cut off: remove ${restoring} there first`);
  await requireEmpty(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(goalFile, goal, { mode: 0o600 });
}

/** What the settings and the first start leave there is in nobody's way. */
async function requireEmpty(dataDir: string): Promise<void> {
  const names = await readdir(path.join(dataDir, "postgres"));
  const files = await readdir(path.join(dataDir, "files")).catch(() => []);
  if (names.includes("cluster") || files.some((name) => name !== "arriving"))
    throw new Error(`${dataDir} is not empty: name an empty folder in DATA_DIR, or move away what is there`);
}

async function recover(options: Omit<RestoreOptions, "dataDir"> & { readonly folder: string }): Promise<void> {
  const rebuilt = await rebuild({ ...options, lasting: true });
  try {
    const session = await openConnection(rebuilt.administratorUrl, { answerMs });
    try {
      // Who has signed out since, or was signed out with a new password, must not be signed in again.
      await session.query("delete from platform.session; delete from platform.card_session");
    } finally {
      await session.close();
    }
  } finally {
    await rebuilt.stop();
  }
}

async function moveIfThere(from: string, to: string): Promise<void> {
  if ((await readdir(from).catch(() => undefined)) === undefined) return;
  // Empty but for what arrives: `requireEmpty` has looked.
  await rm(to, { recursive: true, force: true });
  await rename(from, to);
}
