import type { FastifyBaseLogger } from "fastify";
import type { Clock } from "#platform/contract/clock.ts";
import { toLoggable } from "#platform/contract/loggable.ts";
import type { Pool } from "#platform/database/index.ts";
import type { JobTasks, RecurringJob } from "#platform/jobs/runner.ts";
import { checkPart, type HealthPart } from "#platform/process/health.ts";
import { isDue } from "./due.ts";
import { openFollower } from "./follow.ts";
import { BackupUnderWay, makeBackup, type Source } from "./make.ts";
import type { Manifest } from "./manifest.ts";
import type { BackupPlace } from "./place.ts";

export interface NightlyOptions {
  readonly source: Source;
  readonly place: BackupPlace;
  readonly settings: { readonly BACKUP_TIME: string; readonly BACKUP_KEEP: number };
  readonly clock: Clock;
  readonly log: Pick<FastifyBaseLogger, "info" | "warn">;
}

/** Backups that are made by themselves. */
export interface Nightly {
  readonly tasks: JobTasks;
  readonly recurring: readonly RecurringJob[];
  readonly health: () => Promise<HealthPart>;
  /** What is under way ends soon; the next process begins it anew. */
  stop(): void;
}

const task = "platform-backup";
const oldHours = 26;
const oldLogSeconds = 1800;

/** Makes a backup when one is due, and every minute stores what has been written since, so that little is lost between two. */
export function openNightly({ source, place, settings, clock, log }: NightlyOptions): Nightly {
  const { pool } = source;
  const openedAt = clock();
  const stopping = new AbortController();
  const follower = openFollower(source, place, clock);
  let underWay = false;
  const make = async (): Promise<void> => {
    const row = await begin(pool, place.describe);
    try {
      const manifest = await follower.across((meanwhile) =>
        makeBackup(source, place, {
          signal: stopping.signal,
          meanwhile,
          followed: true,
          keep: settings.BACKUP_KEEP,
        }),
      );
      await finish(pool, row, manifest);
      log.info({ backup: manifest.id }, "a backup was made");
    } catch (error) {
      // No fault of the place's: the next process begins anew, without waiting.
      if (stopping.signal.aborted) return await forget(pool, row);
      await fail(pool, row, error instanceof BackupUnderWay ? "another was under way" : nameFailure(error));
      log.warn({ ...toLoggable(error), why: nameFailure(error) }, "a backup failed");
    }
  };
  const run = async (): Promise<void> => {
    if (underWay || stopping.signal.aborted) return;
    underWay = true;
    try {
      const tried = await readTried(pool, place.describe);
      const at = new Date(clock());
      // A database that was restored, say, has no backup yet that could be followed.
      const isNeeded = isDue(settings.BACKUP_TIME, tried, at) || !(await follower.follow());
      if (isNeeded && isDue(settings.BACKUP_TIME, { ...tried, wholeAt: undefined }, at)) await make();
    } catch (error) {
      log.warn(toLoggable(error), "what was written since the last backup could not be stored");
    } finally {
      underWay = false;
    }
  };
  return {
    tasks: { [task]: run },
    recurring: [{ task, pattern: "* * * * *" }],
    health: () => checkBackups(pool, place.describe, { clock, logAt: () => follower.storedAt() ?? openedAt }),
    stop: () => stopping.abort(),
  };
}

/** A code, or the first words of what we or the store of the backups have said: neither names a person. */
function nameFailure(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string") return code;
  return error instanceof Error ? error.message.slice(0, 200) : "failed";
}

interface Row {
  readonly id: number;
}

async function begin(pool: Pool, place: string): Promise<Row> {
  const [row] = await pool<Row[]>`insert into platform.backup (place) values (${place}) returning id`;
  if (!row) throw new Error("a backup could not be begun");
  return row;
}

async function finish(pool: Pool, { id }: Row, backup: Manifest): Promise<void> {
  const bytes = [...backup.cluster, ...backup.log, ...backup.files].reduce((sum, file) => sum + file.bytes, 0);
  await pool`
    update platform.backup set ended_at = now(), name = ${backup.id}, bytes = ${bytes} where id = ${id}`;
}

async function fail(pool: Pool, { id }: Row, failure: string): Promise<void> {
  await pool`update platform.backup set ended_at = now(), failure = ${failure} where id = ${id}`;
}

async function forget(pool: Pool, { id }: Row): Promise<void> {
  await pool`delete from platform.backup where id = ${id}`;
}

const readTried = async (
  pool: Pool,
  place: string,
): Promise<{ wholeAt: Date | undefined; failedAt: Date | undefined }> => {
  const [row] = await pool<{ wholeAt: Date | null; failedAt: Date | null }[]>`
    select max(started_at) filter (where name is not null) as "wholeAt",
      max(started_at) filter (where failure is not null) as "failedAt"
    from platform.backup where place = ${place}`;
  return { wholeAt: row?.wholeAt ?? undefined, failedAt: row?.failedAt ?? undefined };
};

interface LastBackups {
  readonly endedAt: Date | null;
  readonly bytes: number | null;
  readonly failure: string | null;
}

/** How old the newest whole backup is, whether the last one failed, and for how long nothing that followed was stored. */
const checkBackups = (
  pool: Pool,
  place: string,
  { clock, logAt }: { readonly clock: Clock; readonly logAt: () => number },
): Promise<HealthPart> =>
  checkPart("backup", { zh: "备份", en: "Backup" }, async () => {
    const [last] = await pool<[LastBackups]>`
      select
        (select ended_at from platform.backup where name is not null and place = ${place} order by id desc limit 1)
          as "endedAt",
        (select bytes from platform.backup where name is not null and place = ${place} order by id desc limit 1) as bytes,
        (select failure from platform.backup where ended_at is not null and place = ${place} order by id desc limit 1)
          as failure`;
    const ageHours = last.endedAt && Math.round((clock() - last.endedAt.getTime()) / 360_000) / 10;
    const logAgeSeconds = Math.round((clock() - logAt()) / 1000);
    const isOld = ageHours === null || ageHours > oldHours || logAgeSeconds > oldLogSeconds;
    return {
      state: isOld || last.failure !== null ? "degraded" : "ok",
      figures: {
        ageHours,
        lastBytes: last.bytes,
        logAgeSeconds,
        lastFailure: last.failure,
      },
    };
  });
