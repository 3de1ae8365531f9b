import { type AlertParts, alertTasks, watchMachine } from "./evaluate.ts";
import { alertHandlers } from "./routes.ts";

export { openSenders } from "./channels.ts";
export { platformConditions } from "./conditions.ts";
export { countOpen } from "./store.ts";

/** Evaluates alert conditions and notifies channels. */
export type Alerts = ReturnType<typeof createAlerts>;

/** @param served the services of this process */
export const createAlerts = (parts: AlertParts, served: readonly string[]) => ({
  handlers: alertHandlers(parts),
  ...alertTasks(parts, served),
  ...watchMachine(parts),
});
