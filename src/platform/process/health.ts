import { statfs } from "node:fs/promises";
import { isConnectionLoss, type Pool, readSchemaState } from "#platform/database/index.ts";
import type { Bilingual } from "#platform/contract/language.ts";
import { singleFlight } from "#platform/contract/single-flight.ts";
import type { TemporaryFiles, StorageLimits } from "#platform/files/temporary-files.ts";
import type { FileStore } from "#platform/files/file-store.ts";
import type { JobRunner } from "#platform/jobs/runner.ts";

export type Figures = Readonly<Record<string, number | string | boolean | null>>;

/** A health component with its figures; conditions judge them. */
export interface Part {
  /** The platform if omitted. */
  readonly service?: string;
  readonly name: string;
  readonly title: Bilingual;
  readonly figures: Figures;
  /** The figures could not be read; the only figure is the reason. */
  readonly unread?: true;
}

/** degraded: works but needs attention; failed: does not work. */
export interface HealthPart extends Omit<Part, "unread"> {
  readonly service: string;
  readonly state: "ok" | "degraded" | "failed";
}

const answerTimeoutMs = 2000;

/** Reads a component's figures with a timeout; on failure reports the kind of error. */
export async function readPart(name: string, title: Bilingual, read: () => Promise<Figures>): Promise<Part> {
  try {
    return { name, title, figures: await inTime(read) };
  } catch (error) {
    // Our own words, because error messages may contain addresses or paths.
    const isAway = (error as { code?: unknown } | null)?.code === "ENOENT" || isConnectionLoss(error);
    const reason = error === late ? "no answer in time" : isAway ? "not reachable" : "not readable";
    return { name, title, figures: { reason }, unread: true };
  }
}

const late = new Error("no answer in time");

/** Fails if there is no answer within two seconds. */
export async function inTime<T>(ask: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late), answerTimeoutMs);
  try {
    return await Promise.race([ask(), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Round trip in ms, version, size, connections, pending migrations and those of a newer version. */
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

/** Whether this process runs jobs, and the backlog of all processes. */
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
  /** Where uploads are received and, without an external store, kept. */
  readonly folder: string;
  readonly limits: StorageLimits;
  readonly files: Pick<FileStore, "kind" | "isReachable">;
}

/** Used and allowed upload bytes in total and by service, free disk space, and whether the store is reachable. */
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
 * Whether this process can serve: the database answers within 2 s with a compatible schema, and the job runner is
 * running.
 */
export async function isReady({ pool, jobs, temporaryFiles, files }: ReadinessOptions) {
  const room = Promise.all([temporaryFiles.hasSpace().catch(() => false), files.isReachable()]);
  const asked = await inTime(() => askOnce(pool)).catch(() => undefined);
  const parts = {
    database: asked !== undefined,
    migrations: asked?.pending.length === 0,
    // False while this version still runs on a newer schema; informational.
    newest: asked?.newer.length === 0,
    // False once a newer schema excludes this version, which has then drained.
    beside: asked?.mayRun === true,
    jobs: jobs.isRunning(),
    // False if uploads are refused; everything else still works.
    room: (await room).every(Boolean),
  };
  return { ready: parts.database && parts.migrations && parts.beside && parts.jobs, parts };
}

// Shared by concurrent probes, which would otherwise each take a connection while the database hangs.
const askOnce = singleFlight(readSchemaState);
