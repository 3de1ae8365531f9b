import { hostname } from "node:os";
import * as z from "zod";
import { toLoggable } from "#platform/contract/loggable.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import { addJob, type JobTasks, type RecurringJob, typedTask } from "#platform/jobs/runner.ts";
import type { Finding, EvaluationContext, NamedCondition } from "#platform/process/condition.ts";
import type { Part } from "#platform/process/health.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Platform } from "#platform/process/platform.ts";
import { composeMessage, openSenders } from "./channels.ts";
import { type Channel, channels } from "./contract.ts";
import { listPending, markSent, recordFindings, expireAlerts } from "./store.ts";

export interface AlertParts {
  readonly platform: Platform;
  /** Those of every service, whichever the process serves. */
  readonly conditions: readonly NamedCondition[];
  readonly listParts: () => Promise<readonly Part[]>;
}

const notifyTask = "platform-alerts-tell";
const hostName = hostname();

/**
 * A job a service and minute looks for its conditions, over all processes once: so a condition is looked for wherever its
 * service is served. Another tells each channel.
 */
export function alertTasks(parts: AlertParts, served: readonly string[]) {
  const tell = typedTask(z.object({ channel: z.enum(channels) }), ({ channel }) => notifyChannel(parts, channel));
  const tasks: Record<string, JobTasks[string]> = { [notifyTask]: tell };
  const recurring: RecurringJob[] = [];
  for (const service of ["platform", ...served]) {
    const own = parts.conditions.filter((one) => one.service === service && !one.ofMachine);
    if (own.length === 0) continue;
    const task = `platform-alerts-look-${service}`;
    tasks[task] = () => evaluateConditions(own, parts);
    recurring.push({ task, pattern: "* * * * *" });
  }
  return { tasks, recurring };
}

/** Looks for each of the conditions, one after the other, and has told what is new. A condition that fails keeps no other. */
export async function evaluateConditions(
  conditions: readonly NamedCondition[],
  { platform, listParts }: Pick<AlertParts, "platform" | "listParts">,
): Promise<void> {
  const { pool, log, clock } = platform;
  const context = { platform, nowMs: clock(), parts: await listParts() };
  for (const condition of conditions)
    await evaluateCondition(condition, context).catch((error: unknown) =>
      log.warn({ condition: condition.id, ...toLoggable(error) }, "a condition of alerts could not be looked for"),
    );
  await inTransaction(pool, async (tx) => {
    await expireAlerts(tx, new Date(clock()));
    await queueNotifications(tx, platform.settings);
  });
}

async function evaluateCondition(condition: NamedCondition, looking: EvaluationContext): Promise<void> {
  const { of, ofMachine } = condition;
  const part = of && looking.parts.find(({ name }) => name === of.part);
  // Nobody can say: what holds then holds on.
  if (part?.unread) return;
  const subject = ofMachine ? hostName : undefined;
  let findings: readonly Finding[] = [];
  if (!of || (part && of.holds(part.figures))) {
    if (condition.find) findings = await condition.find(looking);
    else if (part) findings = [toFinding(part, subject)];
  }
  await inTransaction(looking.platform.pool, (tx) =>
    recordFindings(tx, condition, findings, new Date(looking.nowMs), subject),
  );
}

function toFinding({ title: { zh, en }, figures }: Part, subject: string | undefined): Finding {
  const plain = Object.entries(figures).filter(([, value]) => typeof value === "number" || typeof value === "string");
  const says = subject === undefined ? { zh, en } : { zh: `${subject}：${zh}`, en: `${subject}: ${en}` };
  return { subject: subject ?? "", says, figures: Object.fromEntries(plain) as Record<string, number | string> };
}

/** Adds a job for each channel that has something to be told. One that fails is tried again with the next look. */
export async function queueNotifications(tx: Db, settings: Settings): Promise<void> {
  for (const channel of openSenders(settings).keys()) {
    const name = `${notifyTask}-${channel}`;
    if ((await listPending(tx, channel)).length > 0)
      await addJob(tx, notifyTask, { channel }, { queue: name, key: name });
  }
}

/** Tells a channel all that it has not been told, in one message. Jobs of one channel run one after the other. */
async function notifyChannel({ platform, conditions }: AlertParts, channel: Channel): Promise<void> {
  const { pool, settings, clock, log } = platform;
  const send = openSenders(settings).get(channel);
  const news = await listPending(pool, channel);
  if (!send || news.length === 0) return;
  const { error } = await send(composeMessage(news, conditions, settings), clock());
  if (error === null) await inTransaction(pool, (tx) => markSent(tx, channel, news));
  else log.warn({ channel, failure: error }, "a channel of alerts could not be told");
}

const machineMs = 60_000;

/** Looks for what is about the machine: every process for itself, since another's job cannot see its disk. */
export function watchMachine(parts: AlertParts): { start: () => void; settle: () => Promise<void> } {
  const conditions = parts.conditions.filter(({ ofMachine }) => ofMachine);
  let timer: NodeJS.Timeout | undefined;
  let looking = Promise.resolve();
  const evaluate = (): void => {
    looking = evaluateConditions(conditions, parts).catch(() =>
      parts.platform.log.warn("this machine could not be looked after"),
    );
  };
  return {
    start: () => void (timer ??= setInterval(evaluate, machineMs).unref()),
    settle: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}
