import { setTimeout as delay } from "node:timers/promises";
import { writeLocalAudit } from "#platform/accounts/audit.ts";
import { expiredLogins } from "#platform/accounts/login.ts";
import { retainedAudit } from "#platform/accounts/operators/index.ts";
import { expiredSessions } from "#platform/accounts/session.ts";
import { expiredAttempts } from "#platform/accounts/sign-on/flow.ts";
import type { Clock } from "#platform/contract/times.ts";
import { type Db, inLongTransaction, type Pool } from "#platform/database/index.ts";
import {
  releaseUnclaimedUploads,
  removeOrphanFiles,
  removeReleasedUploads,
  removeUploadsTask,
} from "#platform/files/upload.ts";
import { expiredAnswers } from "#platform/http/idempotency.ts";
import { expiredCounts } from "#platform/http/rate-limit.ts";
import type { RecurringJob } from "#platform/jobs/runner.ts";
import { retainedNotices } from "#platform/notices/index.ts";
import { type Part, readPart } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";
import { deleteExpired, type RetainedRecords } from "#platform/process/removal.ts";
import type { ServiceModule } from "#platform/process/service.ts";
import { modules } from "./app.ts";
import type { Settings } from "./settings.ts";

// Retention covers the records of all services, including those not served by this process.

const listed: readonly ServiceModule[] = modules;

const kinds: readonly { readonly service: string; readonly records: RetainedRecords }[] = [
  { service: "platform", records: retainedAudit },
  { service: "platform", records: retainedNotices },
  ...listed.flatMap(({ contract, retained = [] }) => retained.map((records) => ({ service: contract.name, records }))),
];

const dayMs = 86_400_000;
// A batch of this size takes about 50 ms, which limits how long a concurrent writer waits.
const batchRecords = 500;

function daysOf(settings: object, setting: string): number | undefined {
  const days = (settings as Readonly<Record<string, unknown>>)[setting];
  return typeof days === "number" ? days : undefined;
}

const listDue = (settings: object, nowMs: number) =>
  kinds.flatMap((kind) => {
    const days = daysOf(settings, kind.records.setting);
    return days !== undefined ? [{ ...kind, since: new Date(nowMs - days * dayMs) }] : [];
  });

interface RemovedKind {
  readonly service: string;
  readonly kind: string;
  readonly removed: number;
}

export async function countOld(db: Db, settings: object, nowMs: number): Promise<RemovedKind[]> {
  const counted: RemovedKind[] = [];
  for (const { service, records, since } of listDue(settings, nowMs))
    counted.push({ service, kind: records.kind, removed: await records.count(db, since) });
  return counted;
}

export async function removeOld(pool: Pool, settings: object, nowMs: number, by: string): Promise<RemovedKind[]> {
  for (const { service, records, since } of listDue(settings, nowMs)) {
    for (let after: string | null = ""; after !== null;) {
      const place = { after, most: batchRecords };
      const startedMs = performance.now();
      after = await inLongTransaction(pool, async (tx) => {
        // Concurrent runs take turns at this lock for each batch, so that each sees the other's deletions.
        await tx`select pg_advisory_xact_lock(hashtextextended('retention', 0))`;
        const step = await records.remove(tx, since, place);
        // The count is committed with the deletion, and stays in the table until it is audited.
        if (step.removed > 0)
          await tx`
            insert into platform.retention (service, kind, untold) values (${service}, ${records.kind}, ${step.removed})
            on conflict (service, kind) do update set untold = retention.untold + excluded.untold`;
        return step.after;
      });
      // The pause is as long as the batch took, so that deletion uses at most half of a core and of the disk's
      // throughput.
      await delay(performance.now() - startedMs);
    }
  }
  return inLongTransaction(pool, (tx) => auditRemoved(tx, by));
}

async function auditRemoved(tx: Db, userName: string): Promise<RemovedKind[]> {
  const ended = await tx<RemovedKind[]>`
    update platform.retention set removed = untold, untold = 0, ended_at = now() returning service, kind, removed`;
  const told = ended.filter(({ removed }) => removed > 0);
  const detail = Object.fromEntries(told.map(({ service, kind, removed }) => [`${service}: ${kind}`, removed]));
  if (told.length > 0) await writeLocalAudit(tx, { service: "platform", userName, action: "removeOld", detail });
  return told;
}

async function runHousekeeping({ pool, files, temporaryFiles, clock, settings }: Platform<Settings>): Promise<void> {
  const ofServices = listed.flatMap((module) => module.expired?.(settings) ?? []);
  const ofPlatform = [...expiredSessions(settings), ...expiredLogins, expiredAttempts, expiredCounts, expiredAnswers];
  for (const rows of [...ofPlatform, ...ofServices]) await deleteExpired(pool, rows);
  await releaseUnclaimedUploads(pool);
  await temporaryFiles.removeOld(clock());
  // These two steps are the last, because a remote store may fail, which fails the job; the retry repeats all steps.
  await removeReleasedUploads(pool, files);
  await removeOrphanFiles(pool, files);
}

/** Retention runs four times a day, so that it also runs on a server that is off at night. */
export const removalTasks = (
  platform: Platform<Settings>,
): { readonly tasks: Readonly<Record<string, () => Promise<void>>>; readonly recurring: readonly RecurringJob[] } => {
  const { pool, files, settings, clock } = platform;
  return {
    tasks: {
      "platform-housekeeping": () => runHousekeeping(platform),
      [removeUploadsTask]: () => removeReleasedUploads(pool, files),
      "platform-retention": async () => {
        await removeOld(pool, settings, clock(), "(retention)");
      },
    },
    recurring: [
      { task: "platform-housekeeping", pattern: "*/10 * * * *" },
      { task: "platform-retention", pattern: "27 */6 * * *" },
    ],
  };
};

export const readRetention = (pool: Pool, settings: object, clock: Clock): Promise<Part> =>
  readPart("retention", { zh: "保存期限", en: "Retention" }, async () => {
    const [last] = await pool<{ endedAt: Date | null; removed: number | null }[]>`
      select max(ended_at) as "endedAt", sum(removed)::bigint as removed from platform.retention
      where ended_at = (select max(ended_at) from platform.retention)`;
    const limitedKinds = listDue(settings, clock()).length;
    const runAgeHours = last?.endedAt ? Math.round((clock() - last.endedAt.getTime()) / 360_000) / 10 : null;
    return { limitedKinds, runAgeHours, lastRemoved: last?.removed ?? null };
  });

export const listKept = (settings: object) =>
  kinds.flatMap(({ service, records: { kind, setting } }) =>
    daysOf(settings, setting) === undefined ? [{ service, kind, setting }] : [],
  );
