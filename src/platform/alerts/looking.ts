import { hostname } from "node:os";
import { toLoggable } from "#platform/contract/loggable.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import { addJob } from "#platform/jobs/runner.ts";
import type { HealthPart } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";
import { type Choice, listChoices, recordFindings, tidyAlerts } from "./finding-store.ts";
import type { NamedCondition } from "./model.ts";
import { addTellings, listDueChannels } from "./telling-store.ts";

export interface LookingParts {
  readonly platform: Platform;
  readonly listHealth: () => Promise<readonly HealthPart[]>;
}

/** The task that tells a channel what it has not been told. */
export const tellTask = "platform-alerts-tell";

/** Looks for each of the conditions, one after the other, and has told what is new. A condition that fails keeps no other. */
export async function lookFor(conditions: readonly NamedCondition[], parts: LookingParts): Promise<void> {
  const { pool, log } = parts.platform;
  const choices = new Map((await listChoices(pool)).map((choice) => [choice.condition, choice]));
  const listHealth = once(parts.listHealth);
  for (const condition of conditions)
    await lookForOne(condition, choices.get(condition.id), { ...parts, listHealth }).catch((error: unknown) =>
      log.warn({ condition: condition.id, ...toLoggable(error) }, "a condition of alerts could not be looked for"),
    );
  await inTransaction(pool, async (tx) => {
    await tidyAlerts(tx, new Date(parts.platform.clock()));
    await haveTold(tx);
  });
}

async function lookForOne(
  condition: NamedCondition,
  choice: Choice | undefined,
  { platform, listHealth }: LookingParts,
): Promise<void> {
  if (choice?.enabled === false) return;
  const nowMs = platform.clock();
  const threshold = choice?.threshold ?? condition.threshold?.standard ?? 0;
  const findings = await condition.find({ platform, nowMs, threshold, listHealth });
  const { holdMinutes = 0 } = condition;
  await inTransaction(platform.pool, (tx) =>
    recordFindings(tx, {
      condition: condition.id,
      findings,
      holdMinutes: holdMinutes === "threshold" ? threshold : holdMinutes,
      at: new Date(nowMs),
      among: condition.ofMachine && [hostname()],
    }),
  );
}

/** Adds what every channel is to be told, and a job for each that has something to be told, in one transaction. */
export async function haveTold(tx: Db): Promise<void> {
  await addTellings(tx);
  for (const channelId of await listDueChannels(tx)) {
    const name = `platform-alerts-${channelId}`;
    await addJob(tx, tellTask, { channelId }, { queue: name, key: name });
  }
}

/** Health is asked for by several conditions, and costs a look at everything. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
