import type { FastifyBaseLogger } from "fastify";
import type { Clock } from "#platform/contract/clock.ts";
import { toLoggable } from "#platform/contract/loggable.ts";
import type { JobTasks, RecurringJob } from "#platform/jobs/runner.ts";
import { type Part, readPart } from "#platform/process/health.ts";
import { isDue } from "./due.ts";
import { listBackups, toMoment } from "./folder.ts";
import { BackupUnderWay, makeBackup, type Source } from "./make.ts";

export interface NightlyOptions {
  readonly source: Source;
  readonly folder: string;
  readonly settings: { readonly BACKUP_TIME: string; readonly BACKUP_KEEP: number };
  readonly clock: Clock;
  readonly log: Pick<FastifyBaseLogger, "info" | "warn">;
}

/** Backups that are made by themselves. */
export interface Nightly {
  readonly tasks: JobTasks;
  readonly recurring: readonly RecurringJob[];
  readonly health: () => Promise<Part>;
  /** What is under way ends soon; the next process begins it anew. */
  stop(): void;
}

const task = "platform-backup";

/** Looks every minute whether a backup is due; what counts is what lies in the folder. */
export function openNightly({ source, folder, settings, clock, log }: NightlyOptions): Nightly {
  const stopping = new AbortController();
  let failure: { readonly at: Date; readonly name: string } | undefined;
  const findNewest = async (): Promise<Date | undefined> => {
    const newest = (await listBackups(folder)).at(-1);
    return newest === undefined ? undefined : toMoment(newest);
  };
  const run = async (): Promise<void> => {
    const at = new Date(clock());
    try {
      if (!isDue(settings.BACKUP_TIME, { wholeAt: await findNewest(), failedAt: failure?.at }, at)) return;
      const { manifest } = await makeBackup(source, folder, { signal: stopping.signal, keep: settings.BACKUP_KEEP });
      failure = undefined;
      log.info({ backup: manifest.id }, "a backup was made");
    } catch (error) {
      if (stopping.signal.aborted || error instanceof BackupUnderWay) return;
      failure = { at, name: nameFailure(error) };
      log.warn({ ...toLoggable(error), why: failure.name }, "a backup failed");
    }
  };
  const health = () =>
    readPart("backup", { zh: "备份", en: "Backup" }, async () => {
      const newest = await findNewest();
      const ageHours = newest ? Math.round((clock() - newest.getTime()) / 360_000) / 10 : null;
      return { ageHours, lastFailure: failure?.name ?? null };
    });
  return { tasks: { [task]: run }, recurring: [{ task, pattern: "* * * * *" }], health, stop: () => stopping.abort() };
}

/** A code, or the first words of what we have said ourselves: neither names a person. */
function nameFailure(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string") return code;
  return error instanceof Error ? error.message.slice(0, 200) : "failed";
}
