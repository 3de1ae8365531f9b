import { mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Address, administrator, openAddress, ownerRole, serverRole } from "./address.ts";
import { type Binaries, ensureCluster, findBinaries, listSettings } from "./cluster.ts";
import { lockDataDir } from "./data-lock.ts";
import { prepareDatabase } from "./database.ts";
import { keepRunning, type Running } from "./keeper.ts";
import { awaitLeftover, endOrphanSessions, signalPostmaster } from "./leftover.ts";
import { chooseRunner, type Places, refuseForeignHome, type Runner } from "./runner.ts";
import { launchPostgres, type Supervised } from "./supervised.ts";

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

export type EmbeddedPostgres = {
  /** Of the database `quintet`, as the server. Holds a password on Windows. */
  url: string;
  /** The same as the owner of its tables, who runs migrations. */
  ownerUrl: string;
  /** The same as the cluster's superuser, for what an owner may not do. */
  administratorUrl: string;
  /** One line for the start log. */
  describe: string;
  /** Ends PostgreSQL within 8 s; what is committed stays. May be called again. */
  stop: () => Promise<void>;
};

interface Prepared {
  readonly places: Places;
  readonly binaries: Binaries;
  readonly runner: Runner;
  readonly address: Address;
  readonly settings: readonly string[];
}

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
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const places = await openPlaces(options.dataDir);
  const lock = lockDataDir(places.home);
  try {
    const prepared = await prepare(places, options);
    const { toUrl } = prepared.address;
    const running = await launch(prepared);
    await prepareDatabase(toUrl, running.ended).catch(async (error: unknown) => {
      await running.end();
      throw error;
    });
    const url = toUrl("quintet", serverRole);
    await writeFile(path.join(places.home, urlFile), url, { mode: 0o600 });
    const kept = keep(prepared, options, running);
    let stopping: Promise<void> | undefined;
    return {
      url,
      ownerUrl: toUrl("quintet", ownerRole),
      administratorUrl: toUrl("quintet", administrator),
      describe: `PostgreSQL 18 in ${places.home}, ${prepared.runner.describe}`,
      stop: () => (stopping ??= endAndRelease(kept, lock, places)),
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

async function prepare(places: Places, options: EmbeddedPostgresOptions): Promise<Prepared> {
  const { fast = false, maxConnections = 100, settings = [] } = options;
  const binaries = findBinaries();
  const runner = await chooseRunner(places, binaries);
  const address = await openAddress(places.home, runner);
  const { cluster } = places;
  await ensureCluster({ cluster, binaries, runner, fast, passwordFile: address.passwordFile });
  const all = [...listSettings(fast, maxConnections), ...address.settings, ...settings];
  return { places, binaries, runner, address, settings: all };
}

/** The URL of the PostgreSQL that another process of ours runs on the data directory: for a command beside a server. */
export const readRunningUrl = (dataDir: string): Promise<string> =>
  readFile(path.join(dataDir, "postgres", urlFile), "utf8");

/** Tries again while what an earlier server left still ends. */
async function launch(prepared: Prepared): Promise<Running> {
  const { cluster } = prepared.places;
  const deadlineMs = performance.now() + leftoverTimeoutMs;
  for (;;) {
    const reusedId = await awaitLeftover(cluster, Math.max(0, deadlineMs - performance.now()));
    const attempt = launchOnce(prepared, reusedId);
    const failure = await attempt.supervised.ready.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) return attempt.running;
    await attempt.running.end();
    if (!isLeftoverFailure(failure) || performance.now() > deadlineMs) throw toStartError(failure, prepared.places);
    await endOrphanSessions(cluster);
    await delay(50);
  }
}

function launchOnce(
  { places, binaries, runner, settings }: Prepared,
  reusedId: number | undefined,
): { supervised: Supervised; running: Running } {
  const { cluster } = places;
  const supervised = launchPostgres({ binaries, runner, cluster, settings, reusedId, logFile: toLogFile(places) });
  const ended = supervised.ended.then(async (ending) => {
    if (supervised.lost()) await signalPostmaster(cluster, "SIGINT");
    return ending;
  });
  return { supervised, running: { ended, end: () => endInTime(supervised) } };
}

async function endInTime(supervised: Supervised): Promise<void> {
  supervised.end();
  const late = delay(stopTimeoutMs, undefined, { ref: false });
  if ((await Promise.race([supervised.ended, late])) === undefined) throw new Error("PostgreSQL did not end in time");
}

function keep(
  prepared: Prepared,
  { onLost = () => {}, onBack = () => {} }: EmbeddedPostgresOptions,
  first: Running,
): ReturnType<typeof keepRunning> {
  const log = `its log is ${toLogFile(prepared.places)}`;
  return keepRunning({
    first,
    launch: () => launch(prepared),
    onLost: (reason) => onLost(reason.includes(log) ? reason : `${reason}; ${log}`),
    onBack,
  });
}

async function endAndRelease(
  kept: { end: () => Promise<void> },
  lock: { release: () => void },
  { home }: Places,
): Promise<void> {
  try {
    await rm(path.join(home, urlFile), { force: true });
    await kept.end();
  } finally {
    lock.release();
  }
}

/** The address of the tables' owner beside the server's own. */
export function toOwnerUrl(serverUrl: string): string {
  const url = new URL(serverUrl);
  url.username = ownerRole;
  return url.href;
}

const toLogFile = ({ home }: Places): string => path.join(home, "postgres.log");

// The sentences are PostgreSQL's, in English because it runs with LC_ALL=C.
function isLeftoverFailure(error: unknown): boolean {
  return error instanceof Error && /lock file .* already exists|pre-existing shared memory block/.test(error.message);
}

function toStartError(cause: unknown, places: Places): Error {
  const reason = cause instanceof Error ? cause.message : "unknown";
  return new Error(`PostgreSQL does not start: ${reason} (its log is ${toLogFile(places)})`, {
    cause,
  });
}
