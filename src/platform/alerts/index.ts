import type { JobTasks, RecurringJob } from "#platform/jobs/runner.ts";
import type { AlertCondition } from "#platform/process/alert.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { AlertEndpoints } from "./contract.ts";
import { platformConditions } from "./conditions.ts";
import { lookFor, type LookingParts, tellTask } from "./looking.ts";
import { type NamedCondition, nameConditions } from "./model.ts";
import { alertHandlers } from "./routes.ts";
import { tellingTask } from "./telling.ts";

export type { NamedCondition } from "./model.ts";
export { nameConditions } from "./model.ts";
export { sealedOfAlerts } from "./sealed.ts";

/** The part of the platform that looks for trouble and tells of it. */
export interface Alerts {
  readonly handlers: Handlers<AlertEndpoints>;
  readonly tasks: JobTasks;
  readonly recurring: readonly RecurringJob[];
  /** Begins to look after this machine. */
  readonly start: () => void;
  readonly settle: () => Promise<void>;
}

export interface AlertParts extends LookingParts {
  /** Those of every service, whichever the process serves. */
  readonly conditions: readonly NamedCondition[];
  /** The services that the process serves: their conditions it looks for. */
  readonly served: readonly string[];
}

const everyMinute = "* * * * *";
const machineMs = 60_000;

export const platformAlerts = (conditions: readonly AlertCondition[]): readonly NamedCondition[] =>
  nameConditions("platform", platformConditions(conditions));

/**
 * A job a service and minute looks for its conditions, over all processes once: so a condition is looked for wherever its
 * service is served. What is about the machine every process looks for by itself.
 */
export function createAlerts({ conditions, served, ...parts }: AlertParts): Alerts {
  const looks = ["platform", ...served].flatMap((service) => {
    const own = conditions.filter((one) => one.service === service && !one.ofMachine);
    return own.length === 0 ? [] : [{ task: `platform-alerts-look-${service}`, own }];
  });
  const tasks: JobTasks = Object.fromEntries(looks.map(({ task, own }) => [task, () => lookFor(own, parts)]));
  return {
    handlers: alertHandlers(parts.platform, conditions),
    tasks: { ...tasks, [tellTask]: tellingTask(parts.platform, conditions) },
    recurring: looks.map(({ task }) => ({ task, pattern: everyMinute })),
    ...watchMachine(
      conditions.filter(({ ofMachine }) => ofMachine),
      parts,
    ),
  };
}

function watchMachine(conditions: readonly NamedCondition[], parts: LookingParts): Pick<Alerts, "start" | "settle"> {
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
