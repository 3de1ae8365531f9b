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
  readonly conditions: readonly NamedCondition[];
  readonly listParts: () => Promise<readonly Part[]>;
}

const notifyTask = "platform-alerts-tell";
const hostName = hostname();

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

export async function evaluateConditions(
  conditions: readonly NamedCondition[],
  { platform, listParts }: Pick<AlertParts, "platform" | "listParts">,
): Promise<void> {
  const { pool, log, clock } = platform;
  const context = { platform, nowMs: clock(), parts: await listParts() };
  for (const condition of conditions)
    await evaluateCondition(condition, context).catch((error: unknown) =>
      log.warn({ condition: condition.id, ...toLoggable(error) }, "an alert condition could not be evaluated"),
    );
  await inTransaction(pool, async (tx) => {
    await expireAlerts(tx, new Date(clock()));
    await queueNotifications(tx, platform.settings);
  });
}

async function evaluateCondition(condition: NamedCondition, looking: EvaluationContext): Promise<void> {
  const { of, ofMachine } = condition;
  const part = of && looking.parts.find(({ name }) => name === of.part);
  // The state of an unread part is unknown, so the part's open alerts stay open.
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

export async function queueNotifications(tx: Db, settings: Settings): Promise<void> {
  for (const channel of openSenders(settings).keys()) {
    const name = `${notifyTask}-${channel}`;
    if ((await listPending(tx, channel)).length > 0)
      await addJob(tx, notifyTask, { channel }, { queue: name, key: name });
  }
}

/** Sends all of a channel's pending alerts in one message. The jobs of one channel run one after another. */
async function notifyChannel({ platform, conditions }: AlertParts, channel: Channel): Promise<void> {
  const { pool, settings, clock, log } = platform;
  const send = openSenders(settings).get(channel);
  const news = await listPending(pool, channel);
  if (!send || news.length === 0) return;
  const { error } = await send(composeMessage(news, conditions, settings), clock());
  if (error === null) await inTransaction(pool, (tx) => markSent(tx, channel, news));
  else log.warn({ channel, failure: error }, "alerts could not be delivered");
}

const machineMs = 60_000;

/** Every process evaluates the conditions about its machine, since no other process can see that machine's disk. */
export function watchMachine(parts: AlertParts): { start: () => void; settle: () => Promise<void> } {
  const conditions = parts.conditions.filter(({ ofMachine }) => ofMachine);
  let timer: NodeJS.Timeout | undefined;
  let looking = Promise.resolve();
  const evaluate = (): void => {
    looking = evaluateConditions(conditions, parts).catch(() =>
      parts.platform.log.warn("the alert conditions of this server could not be evaluated"),
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
