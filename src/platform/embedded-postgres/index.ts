import { mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { administrator, openAddress, ownerRole, serverRole } from "./address.ts";
import { ensureCluster, findBinaries, listSettings } from "./cluster.ts";
import { lockDataDir } from "./data-lock.ts";
import { prepareDatabase } from "./database.ts";
import { keepRunning, type Running } from "./restart.ts";
import { awaitStalePostmaster, endOrphanSessions, signalPostmaster } from "./stale-postmaster.ts";
import { refuseMoved } from "./moved.ts";
import { chooseRunner, type Places, refuseForeignHome } from "./runner.ts";
import { launchPostgres } from "./supervised.ts";

export type EmbeddedPostgresOptions = {
  dataDir: string;
  maxConnections?: number;
  onLost?: (reason: string) => void;
  onBack?: () => void;
  /** Set only in tests and to verify a backup. It turns off fsync, so a power failure could destroy the database. */
  fast?: boolean;
  settings?: readonly string[];
};

const leftoverTimeoutMs = 10_000;
const stopTimeoutMs = 8000;
const urlFile = "url";

/**
 * Starts PostgreSQL 18 from the npm binaries on `<dataDir>/postgres`. Creates the cluster and the database `quintet` on
 * first use, recovers from a killed server, and restarts PostgreSQL at the same address whenever it ends. PostgreSQL
 * ends with this process, even if this process is killed.
 * @throws {Error} with a message for the administrator, which may contain a path, if the directory or the binaries
 * cannot be used, the database was moved away, or PostgreSQL does not start
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions) {
  const places = await openPlaces(options.dataDir);
  const lock = lockDataDir(places.home);
  try {
    await refuseMoved(places.home);
    const prepared = await prepare(places, options);
    const { toUrl } = prepared.address;
    const running = await launch(prepared);
    await prepareDatabase(toUrl, running.ended).catch(async (error: unknown) => {
      await running.end();
      throw error;
    });
    const url = toUrl("quintet", serverRole);
    const urlPlace = path.join(places.home, urlFile);
    await writeFile(urlPlace, url, { mode: 0o600 });
    const log = `its log is ${toLogFile(places)}`;
    const kept = keepRunning({
      first: running,
      launch: () => launch(prepared),
      onLost: (reason) => options.onLost?.(reason.includes(log) ? reason : `${reason}; ${log}`),
      onBack: () => options.onBack?.(),
    });
    const stop = async (): Promise<void> => {
      try {
        await rm(urlPlace, { force: true });
        await kept.end();
      } finally {
        lock.release();
      }
    };
    let stopping: Promise<void> | undefined;
    return {
      url,
      ownerUrl: toUrl("quintet", ownerRole),
      administratorUrl: toUrl("quintet", administrator),
      describe: `embedded PostgreSQL 18 (for trials and small installations) in ${places.home}, ${prepared.runner.describe}`,
      stop: (): Promise<void> => (stopping ??= stop()),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openPlaces(dataDir: string): Promise<Places> {
  const home = path.join(dataDir, "postgres");
  await mkdir(home, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    const reason = `the data directory ${dataDir} cannot be created or opened (${cause.code})`;
    throw new Error(`${reason}: start Quintet as its owner, or set DATA_DIR to another directory`, { cause });
  });
  const real = await realpath(home);
  await refuseForeignHome(real);
  return { dataDir: path.dirname(real), home: real, cluster: path.join(real, "cluster") };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

async function prepare(places: Places, options: EmbeddedPostgresOptions) {
  const { fast = false, maxConnections = 100, settings = [] } = options;
  const binaries = findBinaries();
  const runner = await chooseRunner(places, binaries);
  const address = await openAddress(places.home, runner);
  const { cluster } = places;
  await ensureCluster({ cluster, initdb: binaries.initdb, runner, fast });
  const all = [...listSettings(fast, maxConnections), ...address.settings, ...settings];
  return { places, binaries, runner, address, settings: all };
}

export const readRunningUrl = (dataDir: string): Promise<string> =>
  readFile(path.join(dataDir, "postgres", urlFile), "utf8");

/** Starting is retried, because PostgreSQL processes of an earlier server may still be ending. */
async function launch({ places, binaries, runner, settings }: Prepared): Promise<Running> {
  const { cluster } = places;
  const logFile = toLogFile(places);
  const deadlineMs = performance.now() + leftoverTimeoutMs;
  for (;;) {
    const reusedId = await awaitStalePostmaster(cluster, Math.max(0, deadlineMs - performance.now()));
    const supervised = launchPostgres({ program: binaries.postgres, runner, cluster, settings, reusedId, logFile });
    const ended = supervised.ended.then(async (ending) => {
      if (supervised.lost()) await signalPostmaster(cluster, "SIGINT");
      return ending;
    });
    const end = async (): Promise<void> => {
      supervised.end();
      const late = delay(stopTimeoutMs, undefined, { ref: false });
      if ((await Promise.race([supervised.ended, late])) === undefined)
        throw new Error("PostgreSQL did not stop in time");
    };
    const failure = await supervised.ready.catch((error: Error) => error);
    if (!failure) return { ended, end };
    await end();
    // PostgreSQL's messages are in English, because it runs with LC_ALL=C.
    const isLeftover = /lock file .* already exists|pre-existing shared memory block/.test(failure.message);
    if (!isLeftover || performance.now() > deadlineMs)
      throw new Error(`PostgreSQL failed to start: ${failure.message} (see ${logFile})`, { cause: failure });
    await endOrphanSessions(cluster);
    await delay(50);
  }
}

export function toOwnerUrl(serverUrl: string): string {
  const url = new URL(serverUrl);
  url.username = ownerRole;
  return url.href;
}

const toLogFile = ({ home }: Places): string => path.join(home, "postgres.log");
