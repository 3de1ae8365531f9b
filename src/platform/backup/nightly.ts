import type { FastifyBaseLogger } from "fastify";
import * as z from "zod";
import type { Clock } from "#platform/contract/times.ts";
import { toLoggable } from "#platform/contract/loggable.ts";
import { wholeNumber } from "#platform/contract/setting-types.ts";
import { type Part, readPart } from "#platform/process/health.ts";
import { listBackups, toMoment } from "./folder.ts";
import { BackupUnderWay, makeBackup, type Source } from "./make.ts";
import type { SetupItem } from "#platform/process/setup.ts";

export const backupSettings = {
  BACKUP_TO: z
    .string()
    .refine((text) => !/^[a-z][a-z\d+.-]+:\/\//i.test(text), { error: "must be a folder" })
    .optional()
    .describe(
      "Folder for nightly backups of the database and the uploaded files, preferably on another disk; if not set, there are no nightly backups",
    ),
  BACKUP_TIME: z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time of day, such as 03:00" })
    .default("03:00")
    .describe("Time of the daily backup in Asia/Shanghai; a missed backup runs as soon as possible"),
  BACKUP_KEEP: wholeNumber(1, 1000, 7).describe("Number of nightly backups to keep"),
};

export type BackupSettings = z.infer<z.ZodObject<typeof backupSettings>>;

export const backupSetup: SetupItem<{ readonly BACKUP_TO?: string | undefined }> = {
  name: "backup",
  title: { zh: "设置每夜备份", en: "Set up the nightly backup" },
  about: { zh: "没有备份，磁盘损坏时数据无法恢复", en: "Without backups, all data are lost if the disk fails" },
  page: "/platform/settings?find=BACKUP_TO",
  isDone: ({ settings }) => settings.BACKUP_TO !== undefined,
};

const dayMs = 86_400_000;
/** Asia/Shanghai is at UTC+8 all year, since it has had no summer time since 1991. */
const shanghaiMs = 8 * 3_600_000;
const retryMs = 30 * 60_000;

/**
 * A backup is due if no complete backup was started since the last scheduled time, and no failed backup was started
 * within the last half hour.
 * @param time the time of day in Asia/Shanghai, such as 03:00
 */
export function isDue(
  time: string,
  { wholeAt, failedAt }: Readonly<Record<"wholeAt" | "failedAt", Date | undefined>>,
  now: Date,
): boolean {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  const ofDayMs = (hour * 60 + minute) * 60_000 - shanghaiMs;
  const lastMs = Math.floor((now.getTime() - ofDayMs) / dayMs) * dayMs + ofDayMs;
  if (wholeAt && wholeAt.getTime() >= lastMs) return false;
  return !failedAt || now.getTime() - failedAt.getTime() >= retryMs;
}

export interface NightlyOptions {
  readonly source: Source;
  readonly folder: string;
  readonly settings: Pick<BackupSettings, "BACKUP_TIME" | "BACKUP_KEEP">;
  readonly clock: Clock;
  readonly log: Pick<FastifyBaseLogger, "info" | "warn">;
}

export type Nightly = ReturnType<typeof openNightly>;

const task = "platform-backup";

/**
 * Checks every minute whether a backup is due, judging by the newest backup in the folder and the last failure of this
 * process. `stop` aborts a running backup; the backup is then due again, so the next process makes it.
 */
export function openNightly({ source, folder, settings, clock, log }: NightlyOptions) {
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
      log.info({ backup: manifest.id }, "backup completed");
    } catch (error) {
      if (stopping.signal.aborted || error instanceof BackupUnderWay) return;
      // Error codes and the platform's own messages contain no personal data, so they may be logged and shown.
      const { code, message } = error as NodeJS.ErrnoException;
      failure = { at, name: typeof code === "string" ? code : message.slice(0, 200) };
      log.warn({ ...toLoggable(error), why: failure.name }, "backup failed");
    }
  };
  const health = (): Promise<Part> =>
    readPart("backup", { zh: "备份", en: "Backup" }, async () => {
      const newest = await findNewest();
      const ageHours = newest ? Math.round((clock() - newest.getTime()) / 360_000) / 10 : null;
      return { ageHours, lastFailure: failure?.name ?? null };
    });
  return { tasks: { [task]: run }, recurring: [{ task, pattern: "* * * * *" }], health, stop: () => stopping.abort() };
}
