import { type AlertParts, alertTasks, watchMachine } from "./evaluate.ts";
import { alertHandlers } from "./routes.ts";

export { openSenders } from "./channels.ts";
export { platformConditions } from "./conditions.ts";
export { countOpen } from "./store.ts";

export type Alerts = ReturnType<typeof createAlerts>;

export const createAlerts = (parts: AlertParts, served: readonly string[]) => ({
  handlers: alertHandlers(parts),
  ...alertTasks(parts, served),
  ...watchMachine(parts),
});
