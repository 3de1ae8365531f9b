import type { ServiceContract } from "#platform/contract/endpoint.ts";
import type { Platform } from "#platform/process/platform.ts";
import { defineService, type Service } from "#platform/process/service.ts";
import { foldAuditTally } from "./audit-store.ts";
import type { PlatformEndpoints } from "./contract.ts";
import { type OperatorParts, platformHandlers } from "./routes.ts";

export { describePlatform } from "./contract.ts";
export {
  createOperator,
  ensureFirstOperator,
  type FirstOperator,
  makePassword,
  setOperatorPassword,
  unlockOperator,
} from "./first-operator.ts";
export type { OperatorParts } from "./routes.ts";

const task = "platform-audit-tally";

/** The platform's own operations, and the job that keeps the totals of the audit log cheap. */
export const createOperators = (
  platform: Platform,
  contract: ServiceContract<PlatformEndpoints>,
  parts: OperatorParts,
): Service =>
  defineService(contract, platformHandlers(platform, parts), {
    tasks: { [task]: () => foldAuditTally(platform.pool), ...parts.alerts.tasks },
    recurring: [{ task, pattern: "* * * * *" }, ...parts.alerts.recurring],
    constraints: { alert_channel_name_key: { problem: "alreadyExists", field: "name" } },
    start: parts.alerts.start,
    settle: parts.alerts.settle,
  });
