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
  /** Made (mode 0700) when missing. PostgreSQL has the folder `postgres` in it. */
  dataDir: string;
  /** Default 100. */
  maxConnections?: number;
  /** PostgreSQL has ended by itself, or does not come up again; it is tried on. A line for the operator. */
  onLost?: (reason: string) => void;
  /** It takes connections again. */
  onBack?: () => void;
  /** FOR TESTS ONLY: nothing is synced, so a power cut destroys the whole database. Default false. */
  fast?: boolean;
  /** FOR TESTS ONLY: more settings of PostgreSQL, as `name=value`; they stand last. */
  settings?: readonly string[];
};

const leftoverTimeoutMs = 10_000;
const stopTimeoutMs = 8000;
const urlFile = "url";

/**
 * Starts PostgreSQL 18 from the npm registry's binaries on `<dataDir>/postgres`, makes the cluster and the database
 * `quintet` on the first start, and recovers from a killed server. A PostgreSQL that ends by itself is started again, at
 * the same address. It ends with this process, however that ends.
 *
 * Throws an Error of one line, meant for the operator (it can hold a path), when another server has the directory,
 * another user made it, the user is root and no way around that is open, or PostgreSQL does not come up.
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
      /** Of the database `quintet`, as the server. */
      url,
      /** The same as the owner of its tables, who runs migrations. */
      ownerUrl: toUrl("quintet", ownerRole),
      /** The same as the cluster's superuser, for what an owner may not do. */
      administratorUrl: toUrl("quintet", administrator),
      /** One line for the start log. */
      describe: `embedded PostgreSQL 18 (for trial and small places) in ${places.home}, ${prepared.runner.describe}`,
      /** Ends PostgreSQL within 8 s; what is committed stays. May be called again. */
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
    const reason = `the data directory ${dataDir} cannot be made or entered (${cause.code})`;
    throw new Error(`${reason}: start as the user who made it, or set DATA_DIR`, { cause });
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

/** The URL of the PostgreSQL that another process of ours runs on the data directory: for a command beside a server. */
export const readRunningUrl = (dataDir: string): Promise<string> =>
  readFile(path.join(dataDir, "postgres", urlFile), "utf8");

/** Tries again while what an earlier server left still ends. */
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
        throw new Error("PostgreSQL did not end in time");
    };
    const failure = await supervised.ready.catch((error: Error) => error);
    if (!failure) return { ended, end };
    await end();
    // The sentences are PostgreSQL's, in English because it runs with LC_ALL=C.
    const isLeftover = /lock file .* already exists|pre-existing shared memory block/.test(failure.message);
    if (!isLeftover || performance.now() > deadlineMs)
      throw new Error(`PostgreSQL does not start: ${failure.message} (its log is ${logFile})`, { cause: failure });
    await endOrphanSessions(cluster);
    await delay(50);
  }
}

/** The address of the tables' owner beside the server's own. */
export function toOwnerUrl(serverUrl: string): string {
  const url = new URL(serverUrl);
  url.username = ownerRole;
  return url.href;
}

const toLogFile = ({ home }: Places): string => path.join(home, "postgres.log");
