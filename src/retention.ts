import { setTimeout as delay } from "node:timers/promises";
import { writeAudit } from "#platform/accounts/audit.ts";
import { retainedAudit } from "#platform/accounts/operators/index.ts";
import type { Clock } from "#platform/contract/clock.ts";
import { type Db, inLongTransaction, type Pool } from "#platform/database/index.ts";
import type { JobTasks, RecurringJob } from "#platform/jobs/runner.ts";
import { type Part, readPart } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";
import {
  findLastRun,
  noteRemoved,
  type RemovedKind,
  takeRetentionTurn,
  takeUntold,
} from "#platform/process/retention-store.ts";
import type { Place, RetainedRecords } from "#platform/process/retention.ts";
import type { ServiceModule } from "#platform/process/service.ts";
import { modules } from "./app.ts";

// What need not be kept any longer, of every service, whichever is served.

interface Kind {
  readonly service: string;
  readonly records: RetainedRecords;
}

const kinds: readonly Kind[] = [
  { service: "platform", records: retainedAudit },
  ...(modules as readonly ServiceModule[]).flatMap(({ contract, retained = [] }) =>
    retained.map((records) => ({ service: contract.name, records })),
  ),
];

const dayMs = 86_400_000;
// A transaction of some 50 ms: whoever writes one of its rows waits no longer.
const batchRecords = 500;

function daysOf(settings: object, setting: string): number | undefined {
  const days = (settings as Readonly<Record<string, unknown>>)[setting];
  return typeof days === "number" ? days : undefined;
}

/** The kinds of which something goes, with the moment since when it has not been needed. */
function listDue(settings: object, nowMs: number): (Kind & { readonly since: Date })[] {
  return kinds.flatMap((kind) => {
    const days = daysOf(settings, kind.records.setting);
    return days !== undefined ? [{ ...kind, since: new Date(nowMs - days * dayMs) }] : [];
  });
}

/** How many records would go now, by kind; those that are kept for ever are left out. */
export async function countOld(db: Db, settings: object, nowMs: number): Promise<RemovedKind[]> {
  const counted: RemovedKind[] = [];
  for (const { service, records, since } of listDue(settings, nowMs))
    counted.push({ service, kind: records.kind, removed: await records.count(db, since) });
  return counted;
}

/**
 * Removes them, batch by batch, and tells the audit log how many of each kind, in one line: also those that a run has
 * removed that was cut off.
 */
export async function removeOld(pool: Pool, settings: object, nowMs: number, by: string): Promise<RemovedKind[]> {
  for (const { service, records, since } of listDue(settings, nowMs)) {
    for (let after: string | null = ""; after !== null;) {
      const place: Place = { after, most: batchRecords };
      const startedMs = performance.now();
      after = await inLongTransaction(pool, async (tx) => {
        await takeRetentionTurn(tx);
        const step = await records.remove(tx, since, place);
        if (step.removed > 0) await noteRemoved(tx, { service, kind: records.kind, removed: step.removed });
        return step.after;
      });
      // As long as it took: at most half of a core and of what the disk writes are used for it.
      await delay(performance.now() - startedMs);
    }
  }
  return inLongTransaction(pool, (tx) => tellRemoved(tx, by));
}

async function tellRemoved(tx: Db, userName: string): Promise<RemovedKind[]> {
  const told = (await takeUntold(tx)).filter(({ removed }) => removed > 0);
  const detail = Object.fromEntries(told.map(({ service, kind, removed }) => [`${service}: ${kind}`, removed]));
  if (told.length > 0)
    await writeAudit(tx, { service: "platform", userName, action: "removeOld", outcome: "done", detail, address: "" });
  return told;
}

const task = "platform-retention";

/** The job that removes it, four times a day: a server that is off at night has one of them all the same. */
export const retentionTasks = ({
  pool,
  settings,
  clock,
}: Platform): { readonly tasks: JobTasks; readonly recurring: readonly RecurringJob[] } => ({
  tasks: {
    [task]: async () => {
      await removeOld(pool, settings, clock(), "(retention)");
    },
  },
  recurring: [{ task, pattern: "27 */6 * * *" }],
});

/** How many kinds of records are not kept for ever, when the last run ended, and what it removed. */
export const readRetention = (pool: Pool, settings: object, clock: Clock): Promise<Part> =>
  readPart("retention", { zh: "保存期限", en: "Retention" }, async () => {
    const last = await findLastRun(pool);
    const limitedKinds = listDue(settings, clock()).length;
    const runAgeHours = last ? Math.round((clock() - last.endedAt.getTime()) / 360_000) / 10 : null;
    return { limitedKinds, runAgeHours, lastRemoved: last?.removed ?? null };
  });

/** The kinds that are kept for ever, and the settings by which they would not be. */
export const listKept = (
  settings: object,
): { readonly service: string; readonly kind: string; readonly setting: string }[] =>
  kinds.flatMap(({ service, records: { kind, setting } }) =>
    daysOf(settings, setting) === undefined ? [{ service, kind, setting }] : [],
  );
