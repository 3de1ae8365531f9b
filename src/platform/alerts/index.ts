import * as z from "zod";
import { inTransaction } from "#platform/database/index.ts";
import { type JobTasks, type RecurringJob, taskWith } from "#platform/jobs/runner.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { AlertEndpoints } from "./contract.ts";
import { lookFor, type LookingParts, tellTask } from "./looking.ts";
import { composeMessage } from "./message.ts";
import { alertHandlers, type AlertParts, toWording } from "./routes.ts";
import { type Channel, channels, openSenders } from "./senders.ts";
import { listNews, markTold } from "./store.ts";

export { platformConditions } from "./conditions.ts";
export { countOpen } from "./store.ts";

/** The part of the platform that looks for trouble and tells of it. */
export interface Alerts {
  readonly handlers: Handlers<AlertEndpoints>;
  readonly tasks: JobTasks;
  readonly recurring: readonly RecurringJob[];
  /** Begins to look after this machine. */
  readonly start: () => void;
  readonly settle: () => Promise<void>;
}

const everyMinute = "* * * * *";
const machineMs = 60_000;

/**
 * A job a service and minute looks for its conditions, over all processes once: so a condition is looked for wherever its
 * service is served. What is about the machine every process looks for by itself.
 * @param served the services that the process serves
 */
export function createAlerts(parts: LookingParts & AlertParts, served: readonly string[]): Alerts {
  const { conditions } = parts;
  const looks = ["platform", ...served].flatMap((service) => {
    const own = conditions.filter((one) => one.service === service && !one.ofMachine);
    return own.length === 0 ? [] : [{ task: `platform-alerts-look-${service}`, own }];
  });
  const tasks: JobTasks = Object.fromEntries(looks.map(({ task, own }) => [task, () => lookFor(own, parts)]));
  const tell = taskWith(z.object({ channel: z.enum(channels) }), ({ channel }) => tellChannel(parts, channel));
  return {
    handlers: alertHandlers(parts),
    tasks: { ...tasks, [tellTask]: tell },
    recurring: looks.map(({ task }) => ({ task, pattern: everyMinute })),
    ...watchMachine(parts),
  };
}

/** Tells a channel all that it has not been told, in one message. Jobs of one channel run one after the other. */
async function tellChannel(parts: AlertParts, channel: Channel): Promise<void> {
  const { pool, settings, clock, log } = parts.platform;
  const send = openSenders(settings).get(channel);
  const news = await listNews(pool, channel);
  if (!send || news.length === 0) return;
  const { error } = await send(composeMessage(news, toWording(parts)), clock());
  if (error === null) await inTransaction(pool, (tx) => markTold(tx, channel, news));
  else log.warn({ channel, failure: error }, "a channel of alerts could not be told");
}

function watchMachine(parts: LookingParts & AlertParts): Pick<Alerts, "start" | "settle"> {
  const conditions = parts.conditions.filter(({ ofMachine }) => ofMachine);
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  const look = () => {
    looking ??= lookFor(conditions, parts)
      .catch(() => parts.platform.log.warn("this machine could not be looked after"))
      .finally(() => (looking = undefined));
  };
  return {
    start: () => void (timer ??= setInterval(look, machineMs).unref()),
    settle: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}
