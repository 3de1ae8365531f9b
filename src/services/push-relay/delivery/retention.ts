import type { Db, Pool } from "#platform/database/index.ts";
import type { JobTasks, RecurringJob } from "#platform/jobs/runner.ts";
import type { RelaySettings } from "#services/push-relay/settings.ts";
import { removeOldExchanges } from "./exchange-store.ts";
import {
  type Days,
  giveUpDeleted,
  removeOldDeliveries,
  removeOldEvents,
  removeOldPulses,
  removeOldSubjects,
  type Step,
} from "./retention-store.ts";

const task = "push-relay-tidy";
const mostAtOnce = 2000;

type TakeStep = (db: Db, after: number, most: number, days: Days) => Promise<Step>;

/** Goes over the old part of a table in steps that hold nothing for long. */
async function walk(pool: Pool, takeStep: TakeStep, days: Days): Promise<void> {
  for (let after = 0; ;) {
    const { lastId } = await takeStep(pool, after, mostAtOnce, days);
    if (lastId === null) return;
    after = lastId;
  }
}

async function removeAllOldExchanges(pool: Pool, deliveredDays: number): Promise<void> {
  while ((await removeOldExchanges(pool, mostAtOnce, deliveredDays)) > 0);
}

async function giveUpAllDeleted(pool: Pool): Promise<void> {
  while ((await giveUpDeleted(pool, mostAtOnce)) > 0);
}

/** Removes what the log need not keep any longer, and gives up what waits for deleted projects. */
export async function tidyRelay(pool: Pool, settings: RelaySettings): Promise<void> {
  const days = { deliveredDays: settings.PUSH_KEEP_DELIVERED_DAYS, deadDays: settings.PUSH_KEEP_DEAD_DAYS };
  await giveUpAllDeleted(pool);
  await walk(pool, removeOldDeliveries, days);
  await removeAllOldExchanges(pool, days.deliveredDays);
  await walk(pool, removeOldEvents, days);
  await removeOldSubjects(pool, days);
  await removeOldPulses(pool);
}

export const tidyTasks = (
  pool: Pool,
  settings: RelaySettings,
): { tasks: JobTasks; recurring: readonly RecurringJob[] } => ({
  tasks: { [task]: () => tidyRelay(pool, settings) },
  recurring: [{ task, pattern: "13 * * * *" }],
});
