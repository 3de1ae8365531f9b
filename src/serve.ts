import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { ensureFirstOperator, type FirstOperator } from "#platform/accounts/operators/index.ts";
import { loadPrivateKey } from "#platform/accounts/password.ts";
import { loadOrMakeBackupKeys, type Nightly, openNightly } from "#platform/backup/index.ts";
import { SettingsError } from "#platform/contract/setting-types.ts";
import { systemClock } from "#platform/contract/times.ts";
import { readSealing } from "#platform/data-keys/keys.ts";
import type { Pool } from "#platform/database/index.ts";
import { openTemporaryFiles, toStorageLimits } from "#platform/files/temporary-files.ts";
import { openBucketFiles } from "#platform/files/bucket/bucket-store.ts";
import { readBucket } from "#platform/files/bucket/settings.ts";
import { openLocalFiles } from "#platform/files/file-store.ts";
import { describeFullDisk, releaseReserve, watchDiskReserve } from "#platform/files/disk-reserve.ts";
import { openJobMetrics } from "#platform/jobs/metrics.ts";
import { type JobRunner, startJobs } from "#platform/jobs/runner.ts";
import { createMessaging } from "#platform/messaging/index.ts";
import { readDatabase, readFiles, readJobs } from "#platform/process/health.ts";
import { openInstitution } from "#platform/process/institution.ts";
import type { Platform } from "#platform/process/platform.ts";
import { watchSchema } from "#platform/process/schema-watch.ts";
import type { Service } from "#platform/process/service.ts";
import { openStreamLimiter } from "#platform/process/stream-limiter.ts";
import { startTraces } from "#platform/tracing/tracer.ts";
import { buildApp, checkServices, sealedColumns } from "./app.ts";
import { openDatabase } from "./open-database.ts";
import { readRetention, removalTasks } from "./removal.ts";
import { describeSettings, type Settings } from "./settings.ts";

export async function openPlatform(
  settings: Settings,
  pool: Pool,
  log: FastifyBaseLogger,
  retired: AbortSignal = new AbortController().signal,
): Promise<Platform<Settings>> {
  const folder = path.join(settings.DATA_DIR, "files");
  const temporaryFiles = await openTemporaryFiles(pool, path.join(folder, "arriving"), toStorageLimits(settings));
  const messaging = createMessaging(settings);
  const privateKey = await loadPrivateKey(pool, settings.PASSWORD_PRIVATE_KEY);
  const streams = openStreamLimiter(settings.DATABASE_POOL);
  const bucket = readBucket(settings);
  const files = bucket ? openBucketFiles(bucket) : openLocalFiles(folder);
  const institution = await openInstitution(pool);
  const opened = { files, temporaryFiles, streams, messaging, institution, privateKey };
  return { settings, pool, clock: systemClock, log, ...opened, retired };
}

export interface RunningServer {
  readonly address: string;
  /** The console's URL; undefined if the console is not built. */
  readonly console: string | undefined;
  readonly database: string;
  readonly firstOperator: FirstOperator;
  /** Whether personal data is stored unencrypted, because no data key is set. */
  readonly unsealed: boolean;
  readonly warnings: readonly string[];
  /** Gives running requests and jobs time to finish, then closes everything. Further calls wait for the first one. */
  stop(): Promise<void>;
}

export async function startServer(
  settings: Settings,
  { services: names, log, isTerminal }: { services: readonly string[]; log: FastifyBaseLogger; isTerminal: boolean },
): Promise<RunningServer> {
  checkServices(settings, names);
  await mkdir(settings.DATA_DIR, { recursive: true, mode: 0o700 });
  const { fullDisk, stopWatching } = await openDiskReserve(settings, log);
  const database = await openDatabase(settings, "alone", log).catch((error: unknown) => {
    throw fullDisk === undefined ? error : new Error(fullDisk, { cause: error });
  });
  const closers: (() => Promise<unknown>)[] = [() => database.close(), stopWatching];
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= closeAll(closers, log));
  try {
    // Tracing is closed last, so that the other steps of a shutdown are traced too.
    closers.unshift(await startTraces(settings, log));
    const { pool } = database;
    const retirement = new AbortController();
    if (pool.keys.currentId === undefined)
      log.info("DATA_KEY is not set: identity cards, phone numbers and secrets are stored unencrypted");
    const platform = await openPlatform(settings, pool, log, retirement.signal);
    const firstOperator = await ensureFirstOperator({ pool, settings, dataDir: settings.DATA_DIR, isTerminal });
    let runner: JobRunner | undefined;
    const jobs = { isRunning: () => runner?.isRunning() ?? false };
    const backups = await openBackups(platform);
    let watched: readonly Service[] = [];
    const listParts = () =>
      Promise.all([
        readDatabase(pool),
        readJobs(pool, jobs),
        readSealing(pool, sealedColumns),
        readFiles(pool, { folder: settings.DATA_DIR, limits: toStorageLimits(settings), files: platform.files }),
        readRetention(pool, settings, platform.clock),
        ...(backups ? [backups.health()] : []),
        ...watched.flatMap(({ contract, health = [] }) =>
          health.map(async (check) => ({ service: contract.name, ...(await check()) })),
        ),
      ]);
    const jobTimes = openJobMetrics();
    const metrics = [jobTimes.metric];
    const told = { metrics, listParts, listSettings: () => describeSettings(settings) };
    const { server, services, hasConsole } = await buildApp(platform, { services: names, jobs, ...told });
    watched = services;
    const found = await Promise.all(services.map(async ({ findWarnings }) => (await findWarnings?.()) ?? []));
    const work = [removalTasks(platform), ...(backups ? [backups] : []), ...services];
    const tasks = Object.assign({}, ...work.map((one) => one.tasks));
    const recurring = work.flatMap((one) => one.recurring ?? []);
    const { JOB_CONCURRENCY: concurrency } = settings;
    runner = await startJobs({ url: database.directUrl, tasks, recurring, concurrency, log, onEnd: jobTimes.note });
    closers.push(() => runner?.stop() ?? Promise.resolve());
    closers.push(async () => backups?.stop());
    const { PORT: port, HOST: host, MAX_CONNECTIONS: backlog } = settings;
    // Node's default backlog of 511 connections was full within a fifth of a second of overload, and then further
    // connections took a second longer.
    const address = (await server.listen({ port, host, backlog }).catch(refuseHost)) + settings.BASE_PATH;
    closers.push(() => Promise.all([closeServer(server), settleServices(services)]));
    for (const { start } of services) start?.();
    // Called when a newer version has migrated the schema. This process then refuses new requests, starts no more jobs
    // and finishes what is running, but does not exit, so that it can report why.
    const onTooNew = async () => {
      retirement.abort();
      await Promise.all([runner?.stop(), settleServices(services)]);
    };
    closers.push(watchSchema(pool, { log, onTooNew }).stop);
    return {
      address,
      console: hasConsole ? `${address}/console/` : undefined,
      database: database.describe,
      firstOperator,
      unsealed: pool.keys.currentId === undefined,
      warnings: [...(fullDisk === undefined ? [] : [fullDisk]), ...database.warnings, ...found.flat()],
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const noHost = new Set(["ENOTFOUND", "EAI_AGAIN", "EADDRNOTAVAIL", "EAFNOSUPPORT"]);

function refuseHost(error: NodeJS.ErrnoException): never {
  const { code = "" } = error;
  throw noHost.has(code) ? new SettingsError([`HOST: must be an address of this machine (${code})`]) : error;
}

async function openBackups({ settings, pool, files, clock, log }: Platform<Settings>): Promise<Nightly | undefined> {
  if (settings.BACKUP_TO === undefined) return undefined;
  const keys = await loadOrMakeBackupKeys(pool.keys, settings.DATA_DIR);
  return openNightly({ source: { pool, files, keys }, folder: settings.BACKUP_TO, settings, clock, log });
}

async function openDiskReserve(
  { DATABASE_URL, DATA_DIR }: Settings,
  log: FastifyBaseLogger,
): Promise<{ fullDisk: string | undefined; stopWatching: () => Promise<void> }> {
  if (DATABASE_URL !== undefined) return { fullDisk: undefined, stopWatching: async () => {} };
  const fullDisk = describeFullDisk(DATA_DIR, await releaseReserve(DATA_DIR));
  const stop = watchDiskReserve(DATA_DIR, (why) => log.error({ why }, "the disk is full"));
  return { fullDisk, stopWatching: async () => stop() };
}

// Requests get six of the nine seconds after which `main.ts` ends the process. The rest is for jobs and the database.
const finishMs = 6000;

async function closeServer(server: FastifyInstance): Promise<void> {
  const late = setTimeout(() => server.server.closeAllConnections(), finishMs);
  await server.close();
  clearTimeout(late);
}

/** Waits up to `finishMs` for work that no client waits for. The database rolls back unfinished work. */
async function settleServices(services: readonly Service[]): Promise<void> {
  const given = new AbortController();
  const late = delay(finishMs, undefined, { signal: given.signal }).catch(() => undefined);
  await Promise.race([late, Promise.all(services.map(async ({ settle }) => settle?.()))]);
  given.abort();
}

async function closeAll(closers: readonly (() => Promise<unknown>)[], log: FastifyBaseLogger): Promise<void> {
  for (const close of closers.toReversed()) {
    await close().catch((error: unknown) =>
      log.error({ message: error instanceof Error ? error.message : "" }, "a part of the server could not be closed"),
    );
  }
}
