import { toLoggable } from "#platform/contract/loggable.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import { addJob } from "#platform/jobs/runner.ts";
import type { Finding, Looking, NamedCondition } from "#platform/process/condition.ts";
import type { Part } from "#platform/process/health.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Platform } from "#platform/process/platform.ts";
import { machine } from "./conditions.ts";
import { openSenders } from "./senders.ts";
import { type Choice, listChoices, listNews, recordFindings, tidyAlerts } from "./store.ts";

export interface LookingParts {
  readonly platform: Platform;
  readonly listParts: () => Promise<readonly Part[]>;
}

/** The task that tells a channel what it has not been told. */
export const tellTask = "platform-alerts-tell";

/** Looks for each of the conditions, one after the other, and has told what is new. A condition that fails keeps no other. */
export async function lookFor(conditions: readonly NamedCondition[], parts: LookingParts): Promise<void> {
  const { pool, log, clock } = parts.platform;
  const choices = new Map((await listChoices(pool)).map((choice) => [choice.condition, choice]));
  const looking = { platform: parts.platform, nowMs: clock(), parts: await parts.listParts() };
  for (const condition of conditions)
    await lookForOne(condition, choices.get(condition.id), looking).catch((error: unknown) =>
      log.warn({ condition: condition.id, ...toLoggable(error) }, "a condition of alerts could not be looked for"),
    );
  await inTransaction(pool, async (tx) => {
    await tidyAlerts(tx, new Date(clock()));
    await haveTold(tx, parts.platform.settings);
  });
}

async function lookForOne(
  condition: NamedCondition,
  choice: Choice | undefined,
  given: Omit<Looking, "threshold">,
): Promise<void> {
  if (choice?.enabled === false) return;
  const looking = { ...given, threshold: choice?.threshold ?? condition.threshold?.standard ?? 0 };
  const findings = await findAll(condition, looking);
  if (!findings) return;
  const { id, holdMinutes = 0, ofMachine } = condition;
  const found = { condition: id, findings, holdMinutes, at: new Date(given.nowMs), only: ofMachine && machine };
  await inTransaction(given.platform.pool, (tx) => recordFindings(tx, found));
}

/** Undefined where nobody can say: what holds then holds on. */
async function findAll(condition: NamedCondition, looking: Looking): Promise<readonly Finding[] | undefined> {
  const { of, ofMachine } = condition;
  const part = of && looking.parts.find(({ name }) => name === of.part);
  if (part?.unread) return undefined;
  if (of && !(part && of.holds(part.figures))) return [];
  if (condition.find) return condition.find(looking);
  return part ? [tellPart(part, ofMachine ? machine : "")] : [];
}

function tellPart({ title: { zh, en }, figures }: Part, subject: string): Finding {
  const plain = Object.entries(figures).filter(([, value]) => typeof value === "number" || typeof value === "string");
  const says = subject === "" ? { zh, en } : { zh: `${subject}：${zh}`, en: `${subject}: ${en}` };
  return { subject, says, figures: Object.fromEntries(plain) as Record<string, number | string> };
}

/** Adds a job for each channel that has something to be told. One that fails is tried again with the next look. */
export async function haveTold(tx: Db, settings: Settings): Promise<void> {
  for (const channel of openSenders(settings).keys()) {
    const name = `${tellTask}-${channel}`;
    if ((await listNews(tx, channel)).length > 0) await addJob(tx, tellTask, { channel }, { queue: name, key: name });
  }
}
