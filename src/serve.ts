import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { FastifyBaseLogger } from "fastify";
import { buildApp } from "./app.ts";
import { loadPrivateKey } from "#platform/accounts/key-pair.ts";
import { systemClock } from "#platform/clock.ts";
import { type ServiceName, type Settings } from "#platform/config.ts";
import { openPool, type Pool } from "#platform/database.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";
import { openLocalFiles } from "#platform/files/file-store.ts";
import { checkDatabase, checkFiles, checkJobs } from "#platform/health.ts";
import { type JobRunner, migrateJobs, startJobs } from "#platform/jobs.ts";
import { createMessaging, createTokenCache } from "#platform/messaging/index.ts";
import { migrate } from "#platform/migrate.ts";
import { ensureFirstOperator, type FirstOperator } from "#platform/operators/index.ts";
import type { Platform } from "#platform/platform.ts";
import { housekeeping } from "#platform/housekeeping.ts";

/** The database of a process, and how it ends. */
export interface Database {
  readonly url: string;
  readonly pool: Pool;
  readonly describe: string;
  /** Resolves, with the reason, when the embedded PostgreSQL has ended by itself. */
  readonly lost: Promise<string>;
  close(): Promise<void>;
}

/** Opens the embedded PostgreSQL, or the one of DATABASE_URL, and brings it up to date. */
export async function openDatabase(settings: Settings): Promise<Database> {
  const embedded = settings.DATABASE_URL === undefined ? await startEmbeddedPostgres({ dataDir: settings.DATA_DIR }) : undefined;
  const url = settings.DATABASE_URL ?? embedded?.url ?? "";
  const pool = openPool(url, { connections: settings.DATABASE_POOL });
  const close = async () => {
    await pool.end({ timeout: 5 });
    await embedded?.stop();
  };
  try {
    await migrate(pool);
    await migrateJobs(url);
  } catch (error) {
    await close();
    throw error;
  }
  const lost = embedded ? embedded.exited.then(({ expected, message }) => (expected ? new Promise<string>(() => {}) : message)) : new Promise<string>(() => {});
  return { url, pool, describe: embedded?.describe ?? "the PostgreSQL of DATABASE_URL", lost, close };
}

/** What the services stand on in this process. */
export async function openPlatform(settings: Settings, pool: Pool, log: FastifyBaseLogger): Promise<Platform> {
  const files = await openLocalFiles(path.join(settings.DATA_DIR, "files"));
  const messaging = createMessaging(settings, { tokens: createTokenCache(pool) });
  const privateKey = await loadPrivateKey(pool, settings.PASSWORD_PRIVATE_KEY);
  return { settings, pool, clock: systemClock, log, files, messaging, privateKey };
}

export interface RunningServer {
  readonly address: string;
  readonly database: string;
  readonly firstOperator: FirstOperator;
  readonly lost: Promise<string>;
  /** Finishes what is running, then lets go of everything. May be called again. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  readonly services: readonly ServiceName[];
  readonly log: FastifyBaseLogger;
  readonly isTerminal: boolean;
}

/** Starts everything: database, jobs, HTTP. What was opened is closed again when a later step fails. */
export async function startServer(settings: Settings, { services: names, log, isTerminal }: ServeOptions): Promise<RunningServer> {
  await mkdir(settings.DATA_DIR, { recursive: true, mode: 0o700 });
  const database = await openDatabase(settings);
  const closers: (() => Promise<unknown>)[] = [() => database.close()];
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= closeAll(closers, log));
  try {
    const { pool } = database;
    const platform = await openPlatform(settings, pool, log);
    const firstOperator = await ensureFirstOperator({ pool, settings, dataDir: settings.DATA_DIR, isTerminal });
    let runner: JobRunner | undefined;
    const jobs = { isRunning: () => runner?.isRunning() ?? false };
    const listHealth = () =>
      Promise.all([checkDatabase(pool), checkJobs(pool, jobs), checkFiles(pool, { folder: settings.DATA_DIR, quotaBytes: settings.UPLOAD_QUOTA_GB * 1024 ** 3 })]);
    const { server, services } = await buildApp(platform, { services: names, jobs, listHealth });
    const keeping = housekeeping(platform);
    const tasks = Object.assign({}, keeping.tasks, ...services.map((service) => service.tasks ?? {}));
    const recurring = [...keeping.recurring, ...services.flatMap((service) => service.recurring ?? [])];
    runner = await startJobs({ url: database.url, tasks, recurring, concurrency: settings.JOB_CONCURRENCY, log });
    closers.push(() => runner?.stop() ?? Promise.resolve());
    const address = await server.listen({ port: settings.PORT, host: settings.HOST });
    closers.push(() => server.close());
    return { address: address + settings.BASE_PATH, database: database.describe, firstOperator, lost: database.lost, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function closeAll(closers: readonly (() => Promise<unknown>)[], log: FastifyBaseLogger): Promise<void> {
  for (const close of closers.toReversed()) {
    await close().catch((error: unknown) => log.error({ message: error instanceof Error ? error.message : "" }, "could not close everything"));
  }
}
