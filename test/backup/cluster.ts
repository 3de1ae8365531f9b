import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, type TestContext } from "node:test";
import { type BackupPlace, chooseBackup, makeBackup, openFolderPlace, restore } from "#platform/backup/index.ts";
import { migrate, openPool, type Pool } from "#platform/database/index.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";
import { type FileStore, openLocalFiles } from "#platform/files/file-store.ts";

// A data directory of its own, with a running PostgreSQL that syncs nothing.

export interface Cluster {
  readonly dataDir: string;
  readonly postgres: EmbeddedPostgres;
  readonly pool: Pool;
  readonly files: FileStore;
  readonly source: Parameters<typeof makeBackup>[0];
  readonly stop: () => Promise<void>;
}

/** A folder that goes away when the tests of the file are over. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-test-"));
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return folder;
}

/** Starts PostgreSQL on a folder; it ends with the test, or the file. */
export async function startCluster(dataDir: string, context?: TestContext): Promise<Cluster> {
  const postgres = await startEmbeddedPostgres({ dataDir, fast: true });
  const pool = openPool(postgres.url, { connections: 4 });
  await migrate(pool);
  await mkdir(path.join(dataDir, "files"), { recursive: true });
  const files = openLocalFiles(path.join(dataDir, "files"));
  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= (async () => {
      await pool.end({ timeoutMs: 1000 });
      await postgres.stop();
    })());
  if (context) context.after(stop);
  else after(stop);
  const source = { administratorUrl: postgres.administratorUrl, dataDir, pool, files };
  return { dataDir, postgres, pool, files, source, stop };
}

/** Restores the newest backup, or up to a moment, and starts it. */
export async function startRestored(
  place: BackupPlace,
  context: TestContext,
  { to, id }: { to?: Date; id?: string } = {},
): Promise<Cluster> {
  const dataDir = path.join(await makeFolder(), "data");
  await restore({ place, manifest: await chooseBackup(place, id, to), dataDir, to });
  return startCluster(dataDir, context);
}

export const newPlace = async (): Promise<BackupPlace> => openFolderPlace(path.join(await makeFolder(), "backups"));
