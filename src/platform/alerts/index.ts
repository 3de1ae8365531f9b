import type { JobTasks, RecurringJob } from "#platform/jobs/runner.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { AlertEndpoints } from "./contract.ts";
import { type AlertParts, alertTasks, watchMachine } from "./looking.ts";
import { alertHandlers } from "./routes.ts";

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

/** @param served the services that the process serves */
export const createAlerts = (parts: AlertParts, served: readonly string[]): Alerts => ({
  handlers: alertHandlers(parts),
  ...alertTasks(parts, served),
  ...watchMachine(parts),
});
