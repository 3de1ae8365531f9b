import { mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { lockDataDir } from "#platform/embedded-postgres/data-lock.ts";
import { type Address, administrator, openAddress, ownerRole, serverRole } from "./address.ts";
import { findBinaries, type Binaries } from "./binaries.ts";
import { openBoundedLog } from "./bounded-log.ts";
import { ensureCluster, listSettings } from "./cluster.ts";
import { prepareDatabase } from "./database.ts";
import { keepRunning, type Running } from "./keeper.ts";
import { awaitLeftover, endOrphanSessions, signalPostmaster } from "./leftover.ts";
import { chooseRunner, refuseForeignHome, type Places, type Runner } from "./runner.ts";
import { launchPostgres, type Launch, type Supervised } from "./supervised.ts";

export type EmbeddedPostgresOptions = {
  /** Made (mode 0700) when missing. PostgreSQL has the folder `postgres` in it. */
  dataDir: string;
  /** Gets a line when PostgreSQL runs. Default: silence. */
  log?: (line: string) => void;
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

type Prepared = {
  places: Places;
  binaries: Binaries;
  runner: Runner;
  address: Address;
  isNew: boolean;
  settings: readonly string[];
};

type Lock = { release: () => Promise<void> };

const leftoverTimeoutMs = 10_000;
const stopTimeoutMs = 8000;
const urlFile = "url";
const logMaxBytes = 4 * 1024 * 1024;

/**
 * Starts PostgreSQL 18 from the npm registry's binaries on `<dataDir>/postgres`, makes the cluster and the database
 * `quintet` on the first start, and recovers from a killed server. A PostgreSQL that ends by itself is started again, at
 * the same address. It ends with this process, however that ends.
 *
 * Throws an Error of one line, meant for the operator (it can hold a path), when another server has the directory,
 * another user made it, the user is root and no way around that is open, or PostgreSQL does not come up.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const startMs = performance.now();
  const places = await openPlaces(options.dataDir);
  const lock = await lockDataDir(places.home);
  try {
    const prepared = await prepare(places, options);
    const running = await launch(prepared);
    await prepareDatabase(prepared.address.toUrl, running.ended).catch(async (error: unknown) => {
      await running.end();
      throw error;
    });
    const verb = prepared.isNew ? "made and started" : "started";
    const describe = `PostgreSQL 18 in ${places.home}, ${prepared.runner.describe}`;
    await writeFile(path.join(places.home, urlFile), toServerUrl(prepared), { mode: 0o600 });
    options.log?.(`${describe}: ${verb} in ${Math.round(performance.now() - startMs)} ms`);
    return toHandle(prepared, options, running, describe, lock);
  } catch (error) {
    await lock.release();
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
  const binaries = await findBinaries();
  const runner = await chooseRunner(places, binaries);
  const address = await openAddress(places.home, runner);
  const clusterOptions = {
    fast: options.fast ?? false,
    maxConnections: options.maxConnections ?? 100,
  };
  const { fast } = clusterOptions;
  const wanted = {
    cluster: places.cluster,
    binaries,
    runner,
    fast,
    passwordFile: address.passwordFile,
  };
  const isNew = await ensureCluster(wanted);
  const settings = [...listSettings(clusterOptions), ...address.settings, ...(options.settings ?? [])];
  return { places, binaries, runner, address, isNew, settings };
}

const toServerUrl = ({ address }: Prepared): string => address.toUrl("quintet", serverRole);

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

function launchOnce(prepared: Prepared, reusedId: number | undefined): { supervised: Supervised; running: Running } {
  const { places, binaries, runner, settings } = prepared;
  const file = openBoundedLog(toLogFile(places), logMaxBytes);
  const request: Launch = {
    binaries,
    runner,
    cluster: places.cluster,
    settings,
    reusedId,
    write: file.write,
  };
  const supervised = launchPostgres(request);
  const ended = supervised.ended.then(async (ending) => {
    if (supervised.lost()) await signalPostmaster(places.cluster, "SIGINT");
    return ending;
  });
  // Closed late: the last lines arrive after the end.
  void supervised.drained.then(file.close);
  return { supervised, running: { ended, end: () => endInTime(supervised) } };
}

async function endInTime(supervised: Supervised): Promise<void> {
  supervised.end();
  const limit = AbortSignal.timeout(stopTimeoutMs);
  const late = new Promise<never>((_, reject) => {
    limit.addEventListener("abort", () => reject(new Error("PostgreSQL did not end in time")));
  });
  await Promise.race([supervised.ended, late]);
}

function toHandle(
  prepared: Prepared,
  { onLost = () => {}, onBack = () => {} }: EmbeddedPostgresOptions,
  first: Running,
  describe: string,
  lock: Lock,
): EmbeddedPostgres {
  const { places, address } = prepared;
  const log = `its log is ${toLogFile(places)}`;
  const kept = keepRunning({
    first,
    launch: () => launch(prepared),
    onLost: (reason) => onLost(reason.includes(log) ? reason : `${reason}; ${log}`),
    onBack,
  });
  let stopping: Promise<void> | undefined;
  return {
    url: toServerUrl(prepared),
    ownerUrl: address.toUrl("quintet", ownerRole),
    administratorUrl: address.toUrl("quintet", administrator),
    describe,
    stop: () => (stopping ??= endAndRelease(kept, lock, places)),
  };
}

async function endAndRelease(kept: { end: () => Promise<void> }, lock: Lock, { home }: Places): Promise<void> {
  try {
    await rm(path.join(home, urlFile), { force: true });
    await kept.end();
  } finally {
    await lock.release();
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
