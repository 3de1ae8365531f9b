import { statfs } from "node:fs/promises";
import { isConnectionLoss, type Pool, readSchemaState } from "#platform/database/index.ts";
import type { Bilingual } from "#platform/contract/language.ts";
import { singleFlight } from "#platform/contract/single-flight.ts";
import type { TemporaryFiles, StorageLimits } from "#platform/files/temporary-files.ts";
import type { FileStore } from "#platform/files/file-store.ts";
import type { JobRunner } from "#platform/jobs/runner.ts";

export type Figures = Readonly<Record<string, number | string | boolean | null>>;

export interface Part {
  readonly service?: string;
  readonly name: string;
  readonly title: Bilingual;
  readonly figures: Figures;
  /** Set if the figures could not be read; the only figure is then the reason. */
  readonly unread?: true;
}

export interface HealthPart extends Omit<Part, "unread"> {
  readonly service: string;
  readonly state: "ok" | "degraded" | "failed";
}

const answerTimeoutMs = 2000;

export async function readPart(name: string, title: Bilingual, read: () => Promise<Figures>): Promise<Part> {
  try {
    return { name, title, figures: await inTime(read) };
  } catch (error) {
    // The reason is one of a few fixed texts, because error messages may contain addresses or paths.
    const isAway = (error as { code?: unknown } | null)?.code === "ENOENT" || isConnectionLoss(error);
    const reason = error === late ? "no response in time" : isAway ? "not reachable" : "not readable";
    return { name, title, figures: { reason }, unread: true };
  }
}

const late = new Error("no response in time");

export async function inTime<T>(ask: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late), answerTimeoutMs);
  try {
    return await Promise.race([ask(), promise]);
  } finally {
    clearTimeout(timer);
  }
}

export const readDatabase = (pool: Pool): Promise<Part> =>
  readPart("database", { zh: "数据库", en: "Database" }, async () => {
    const startMs = performance.now();
    await pool`select 1`;
    const roundTripMs = Math.round((performance.now() - startMs) * 10) / 10;
    const [server] = await pool<[Figures]>`
      select current_setting('server_version') as version, pg_database_size(current_database()) as "sizeBytes",
        (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
        current_setting('max_connections')::int as "maxConnections"`;
    const { pending, newer, mayRun } = await readSchemaState(pool);
    const migrations = { pendingMigrations: pending.length, newerMigrations: newer.length, mayRun };
    return { roundTripMs, ...server, ...migrations };
  });

export const readJobs = (pool: Pool, jobs: Pick<JobRunner, "isRunning">): Promise<Part> =>
  readPart("jobs", { zh: "后台任务", en: "Jobs" }, async () => {
    const [counts] = await pool<[Figures]>`
      select count(*) filter (where locked_at is not null) as working,
        count(*) filter (where due) as waiting,
        count(*) filter (where locked_at is null and attempts < max_attempts and run_at > now()) as scheduled,
        count(*) filter (where locked_at is null and attempts >= max_attempts) as failed,
        coalesce(extract(epoch from now() - min(run_at) filter (where due)), 0)::int as "oldestWaitingSeconds"
      from graphile_worker.jobs
      cross join lateral (select locked_at is null and attempts < max_attempts and run_at <= now()) as each (due)`;
    return { running: jobs.isRunning(), ...counts };
  });

interface FileRoom {
  readonly folder: string;
  readonly limits: StorageLimits;
  readonly files: Pick<FileStore, "kind" | "isReachable">;
}

export const readFiles = (pool: Pool, { folder, limits, files }: FileRoom): Promise<Part> =>
  readPart("files", { zh: "文件存储", en: "File storage" }, async () => {
    const { quotaBytes, serviceQuotaBytes, reserveBytes } = limits;
    const [disk, storeAnswers] = await Promise.all([statfs(folder), files.isReachable()]);
    const freeDiskBytes = disk.bavail * disk.bsize;
    const used = await pool<{ service: string; bytes: number }[]>`
      select service, bytes from platform.upload_usage order by service`;
    const usedBytes = used.reduce((sum, { bytes }) => sum + bytes, 0);
    return {
      usedBytes,
      quotaBytes,
      ...Object.fromEntries(used.map(({ service, bytes }) => [`usedBytes ${service}`, bytes])),
      serviceQuotaBytes,
      freeDiskBytes,
      reserveBytes,
      inBucket: files.kind === "s3",
      storeAnswers,
      refusesUploads: freeDiskBytes < reserveBytes || !storeAnswers,
    };
  });

interface ReadinessOptions {
  readonly pool: Pool;
  readonly jobs: Pick<JobRunner, "isRunning">;
  readonly temporaryFiles: Pick<TemporaryFiles, "hasSpace">;
  readonly files: Pick<FileStore, "isReachable">;
}

/**
 * This process is ready if the database answers within 2 s, its schema is compatible, and the job runner is running.
 */
export async function isReady({ pool, jobs, temporaryFiles, files }: ReadinessOptions) {
  const room = inTime(() => Promise.all([temporaryFiles.hasSpace(), files.isReachable()])).catch(() => [false]);
  const asked = await inTime(() => askOnce(pool)).catch(() => undefined);
  const parts = {
    database: asked !== undefined,
    migrations: asked?.pending.length === 0,
    // False if a newer version has changed the schema; this version may still run on it.
    newest: asked?.newer.length === 0,
    // False if the schema excludes this version, which then no longer serves requests.
    beside: asked?.mayRun === true,
    jobs: jobs.isRunning(),
    // False if the disk is low on space or the file store is not reachable; the process is still ready.
    room: (await room).every(Boolean),
  };
  return { ready: parts.database && parts.migrations && parts.beside && parts.jobs, parts };
}

// Concurrent probes share one query, because each would take a connection while the database does not answer.
const askOnce = singleFlight(readSchemaState);
