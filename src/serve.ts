import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { fillNameKeys } from "#platform/accounts/account-store.ts";
import { loadPrivateKey } from "#platform/accounts/key-pair.ts";
import { ensureFirstOperator, type FirstOperator } from "#platform/accounts/operators/index.ts";
import { systemClock } from "#platform/contract/clock.ts";
import {
  isConnectionLoss,
  migrate,
  openPool,
  type Pool,
  readSchemaState,
  reviewAddresses,
} from "#platform/database/index.ts";
import { type Nightly, openNightly, openPlace, refuseUnfinishedRestore } from "#platform/backup/index.ts";
import { DataDirInUse } from "#platform/embedded-postgres/data-lock.ts";
import { readRunningUrl, startEmbeddedPostgres, toAdministratorUrl } from "#platform/embedded-postgres/index.ts";
import { openArrivals } from "#platform/files/arrivals.ts";
import { openBucketFiles } from "#platform/files/bucket/bucket-store.ts";
import { readBucket } from "#platform/files/bucket/settings.ts";
import { openLocalFiles } from "#platform/files/file-store.ts";
import { describeFullDisk, giveUpRoom, watchKeptRoom } from "#platform/files/kept-room.ts";
import { toRoomLimits } from "#platform/files/upload.ts";
import { makeJobTimes } from "#platform/jobs/metrics.ts";
import { type JobRunner, migrateJobs, startJobs } from "#platform/jobs/runner.ts";
import { createMessaging, createTokenCache } from "#platform/messaging/index.ts";
import { refuseUnfinishedMove } from "#platform/moving/move.ts";
import { checkDatabase, checkFiles, checkJobs } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";
import { watchSchema } from "#platform/process/schema-watch.ts";
import type { Service } from "#platform/process/service.ts";
import { openStreamDoor } from "#platform/process/stream-door.ts";
import { makeTraceMetrics } from "#platform/tracing/metrics.ts";
import { startTraces } from "#platform/tracing/start.ts";
import { buildApp, checkServices } from "./app.ts";
import { housekeeping } from "./housekeeping.ts";
import { describeSettings, type Settings } from "./settings.ts";

type Log = Pick<FastifyBaseLogger, "error" | "warn">;
const silentLog: Log = { error() {}, warn() {} };

/** The database of a process, and how it ends. */
export interface Database {
  /** Past a pooler, for who needs a session of their own. */
  readonly directUrl: string;
  readonly pool: Pool;
  readonly describe: string;
  /** What somebody should look after, a line each. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

interface Postgres {
  readonly url: string;
  /** Past a pooler; left out, `url` leads to PostgreSQL itself. */
  readonly directUrl?: string | undefined;
  readonly describe: string;
  stop(): Promise<void>;
}

const elsewhere = (url: string, describe: string, directUrl?: string): Postgres => ({
  url,
  directUrl,
  describe,
  stop: async () => {},
});

const leastConnections = 100;
/** Beside the pool: jobs, what listens, a command line beside the server, and somebody who looks after the database. */
const otherConnections = 40;

/** A command beside a running server uses the PostgreSQL that the server runs; a second server must not. */
async function findPostgres(
  { DATABASE_URL, DATABASE_DIRECT_URL, DATA_DIR, DATABASE_POOL }: Settings,
  beside: "alone" | "server",
  log: Log,
): Promise<Postgres> {
  if (DATABASE_URL !== undefined) return elsewhere(DATABASE_URL, "the PostgreSQL of DATABASE_URL", DATABASE_DIRECT_URL);
  await refuseUnfinishedRestore(DATA_DIR);
  try {
    return await startEmbeddedPostgres({
      dataDir: DATA_DIR,
      // A command beside the server has a pool of the same size.
      maxConnections: Math.max(leastConnections, 2 * DATABASE_POOL + otherConnections),
      onLost: (why) => log.error({ why }, "PostgreSQL is lost and is started again"),
      onBack: () => log.warn("PostgreSQL is back"),
    });
  } catch (error) {
    if (beside === "alone" || !(error instanceof DataDirInUse)) throw error;
    return elsewhere(await readRunningUrl(DATA_DIR), "the PostgreSQL of the running server");
  }
}

/**
 * Opens the embedded PostgreSQL, or the one of DATABASE_URL, and brings it up to date.
 * @param beside "server": when a server has the data directory already, its PostgreSQL is used.
 */
export async function openDatabase(
  settings: Settings,
  beside: "alone" | "server",
  log: Log = silentLog,
): Promise<Database> {
  const server = await findPostgres(settings, beside, log);
  const { url, directUrl = url } = server;
  const pool = openPool(url, { connections: settings.DATABASE_POOL, direct: server.directUrl });
  const close = async () => {
    await pool.end({ timeoutMs: 5000 });
    await server.stop();
  };
  let warnings: string[];
  try {
    await refuseUnfinishedMove(pool);
    const wrong = await reviewAddresses(pool);
    await migrate(pool, { say: (line) => log.warn(line) });
    await migrateJobs(directUrl);
    warnings = [...wrong, ...(await warnOfNewer(pool)), ...(await warnOfNames(pool))];
  } catch (error) {
    await close();
    throw isConnectionLoss(error)
      ? new Error(`${server.describe} cannot be reached: ${(error as Error).message}`, { cause: error })
      : error;
  }
  return { directUrl, pool, describe: server.describe, warnings, close };
}

async function warnOfNewer(pool: Pool): Promise<string[]> {
  const { newer } = await readSchemaState(pool);
  return newer.length > 0
    ? [`the database is newer than this version (${newer.at(-1)}): put the newer one in its place`]
    : [];
}

const warnOfNames = async (pool: Pool): Promise<string[]> =>
  (await fillNameKeys(pool)).map(
    ({ service, id }) => `the user name of account ${id} (${service}) looks like another's: give it another one`,
  );

/** What the services stand on in this process. */
export async function openPlatform(
  settings: Settings,
  pool: Pool,
  log: FastifyBaseLogger,
  retired: AbortSignal = new AbortController().signal,
): Promise<Platform<Settings>> {
  const folder = path.join(settings.DATA_DIR, "files");
  const arrivals = await openArrivals({ pool, folder: path.join(folder, "arriving"), limits: toRoomLimits(settings) });
  const messaging = createMessaging(settings, { tokens: createTokenCache(pool) });
  const privateKey = await loadPrivateKey(pool, settings.PASSWORD_PRIVATE_KEY);
  const streams = openStreamDoor(settings.DATABASE_POOL);
  const bucket = readBucket(settings);
  const files = bucket
    ? openBucketFiles(bucket, { redirects: settings.FILES_REDIRECT === "signed" })
    : openLocalFiles(folder);
  return { settings, pool, clock: systemClock, log, files, arrivals, streams, messaging, privateKey, retired };
}

export interface RunningServer {
  readonly address: string;
  /** Where the console is; undefined when it has not been built. */
  readonly console: string | undefined;
  readonly database: string;
  readonly firstOperator: FirstOperator;
  /** What somebody should look after, a line each. */
  readonly warnings: readonly string[];
  /** Finishes what is running, then lets go of everything. May be called again. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  readonly services: readonly string[];
  readonly log: FastifyBaseLogger;
  readonly isTerminal: boolean;
}

/** Starts everything: database, jobs, HTTP. What was opened is closed again when a later step fails. */
export async function startServer(
  settings: Settings,
  { services: names, log, isTerminal }: ServeOptions,
): Promise<RunningServer> {
  checkServices(settings, names);
  await mkdir(settings.DATA_DIR, { recursive: true, mode: 0o700 });
  const { fullDisk, stopWatching } = await openKeptRoom(settings, log);
  const database = await openDatabase(settings, "alone", log).catch((error: unknown) => {
    throw fullDisk === undefined ? error : new Error(fullDisk, { cause: error });
  });
  const closers: (() => Promise<unknown>)[] = [() => database.close(), stopWatching];
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= closeAll(closers, log));
  try {
    const traces = await startTraces(settings, log);
    // Last of all, as the others are told of until they end.
    closers.unshift(traces.stop);
    const { pool } = database;
    const retirement = new AbortController();
    const platform = await openPlatform(settings, pool, log, retirement.signal);
    const firstOperator = await ensureFirstOperator({ pool, settings, dataDir: settings.DATA_DIR, isTerminal });
    let runner: JobRunner | undefined;
    const jobs = { isRunning: () => runner?.isRunning() ?? false };
    const backups = openBackups(platform, database);
    let watched: readonly Service[] = [];
    const listHealth = () =>
      Promise.all([
        checkDatabase(pool),
        checkJobs(pool, jobs),
        checkFiles(pool, { folder: settings.DATA_DIR, limits: toRoomLimits(settings), files: platform.files }),
        ...(backups ? [backups.health()] : []),
        ...watched.flatMap(({ health }) => (health ? [health()] : [])),
      ]);
    const jobTimes = makeJobTimes();
    const metrics = [jobTimes.metric, ...makeTraceMetrics(traces)];
    const told = { metrics, listHealth, listSettings: () => describeSettings(settings) };
    const { server, services, hasConsole } = await buildApp(platform, { services: names, jobs, ...told });
    watched = services;
    const found = await Promise.all(services.map(async ({ findWarnings }) => (await findWarnings?.()) ?? []));
    const work = [housekeeping(platform), ...(backups ? [backups] : []), ...services];
    const tasks = Object.assign({}, ...work.map((one) => one.tasks));
    const recurring = work.flatMap((one) => one.recurring ?? []);
    const { JOB_CONCURRENCY: concurrency } = settings;
    runner = await startJobs({ url: database.directUrl, tasks, recurring, concurrency, log, onEnd: jobTimes.note });
    closers.push(() => runner?.stop() ?? Promise.resolve());
    closers.push(async () => backups?.stop());
    const address = (await server.listen({ port: settings.PORT, host: settings.HOST })) + settings.BASE_PATH;
    closers.push(() => Promise.all([closeServer(server), settleServices(services)]));
    for (const { start } of services) start?.();
    const onTooNew = () => retire(retirement, runner, services);
    closers.push(watchSchema(pool, { log, onTooNew }).stop);
    return {
      address,
      console: hasConsole ? `${address}/console/` : undefined,
      database: database.describe,
      firstOperator,
      warnings: [
        ...(fullDisk === undefined ? [] : [fullDisk]),
        ...database.warnings,
        ...warnOfOperator(firstOperator),
        ...found.flat(),
      ],
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Refuses what comes from now on, and finishes what is under way. The process stays, to say why it does nothing. */
async function retire(
  retirement: AbortController,
  runner: JobRunner | undefined,
  services: readonly Service[],
): Promise<void> {
  retirement.abort();
  await Promise.all([runner?.stop(), settleServices(services)]);
}

/** Nightly backups, where the embedded database has a place for them. */
function openBackups(
  { settings, pool, files, clock, log }: Platform<Settings>,
  { directUrl }: Database,
): Nightly | undefined {
  if (settings.BACKUP_TO === undefined) return undefined;
  const source = { administratorUrl: toAdministratorUrl(directUrl), dataDir: settings.DATA_DIR, pool, files };
  return openNightly({ source, place: openPlace(settings.BACKUP_TO, settings), settings, clock, log });
}

const warnOfOperator = (first: FirstOperator): string[] =>
  first.kind === "given" && first.weak
    ? ["OPERATOR_PASSWORD is among the passwords that are guessed first: change the operator's password"]
    : [];

/** Sees to it that the embedded PostgreSQL can start and go on, as far as the disk allows. */
async function openKeptRoom(
  { DATABASE_URL, DATA_DIR }: Settings,
  log: FastifyBaseLogger,
): Promise<{ fullDisk: string | undefined; stopWatching: () => Promise<void> }> {
  if (DATABASE_URL !== undefined) return { fullDisk: undefined, stopWatching: async () => {} };
  const fullDisk = describeFullDisk(DATA_DIR, await giveUpRoom(DATA_DIR));
  const stop = watchKeptRoom(DATA_DIR, (why) => log.error({ why }, "the disk is full"));
  return { fullDisk, stopWatching: async () => stop() };
}

// Two seconds are left for the jobs and the database, of the ten that whoever stops a process usually grants.
const finishMs = 6000;

/** Finishes what is running; what takes longer, such as a download that nobody reads, is cut off. */
async function closeServer(server: FastifyInstance): Promise<void> {
  const late = setTimeout(() => server.server.closeAllConnections(), finishMs);
  await server.close();
  clearTimeout(late);
}

/** Waits for work whose client has gone, as long as for the others; what is left then is undone by the database. */
async function settleServices(services: readonly Service[]): Promise<void> {
  const given = new AbortController();
  const late = delay(finishMs, undefined, { signal: given.signal }).catch(() => undefined);
  await Promise.race([late, Promise.all(services.map(async ({ settle }) => settle?.()))]);
  given.abort();
}

async function closeAll(closers: readonly (() => Promise<unknown>)[], log: FastifyBaseLogger): Promise<void> {
  for (const close of closers.toReversed()) {
    await close().catch((error: unknown) =>
      log.error({ message: error instanceof Error ? error.message : "" }, "could not close everything"),
    );
  }
}
