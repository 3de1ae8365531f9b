import { writeUses } from "#platform/accounts/access-keys.ts";
import { readDutyHealth, warnOfDuties } from "#platform/accounts/duties.ts";
import { warnOfNoPassword } from "#platform/accounts/login.ts";
import { watchSignOns } from "#platform/accounts/sign-on/health.ts";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import type { Platform } from "#platform/process/platform.ts";
import { defineService, type Service } from "#platform/process/service.ts";
import { openSignOns } from "#platform/sign-on/index.ts";
import { readAuditHealth } from "./audit-routes.ts";
import type { PlatformEndpoints } from "./contract.ts";
import { readSetupHealth } from "./setup.ts";
import { type OperatorParts, platformHandlers } from "./routes.ts";

export { retainedAudit } from "./audit-store.ts";
export { describePlatform } from "./contract.ts";
export {
  createOperator,
  ensureFirstOperator,
  type FirstOperator,
  makePassword,
  resetOperatorFactors,
  setOperatorPassword,
  unlockOperator,
} from "./first-operator.ts";
export { platformSetup, setupOpen } from "./setup.ts";
export type { OperatorParts } from "./routes.ts";

export function createOperators(
  platform: Platform,
  contract: ServiceContract<PlatformEndpoints>,
  parts: Omit<OperatorParts, "signOns">,
): Service {
  const { alerts, notices } = parts;
  const separates = platform.settings.SEPARATE_DUTIES === "1";
  const signOns = openSignOns(platform.settings);
  const checkSignOns = signOns.length > 0 ? [watchSignOns(signOns)] : [];
  return defineService(contract, platformHandlers(platform, { ...parts, signOns }), {
    tasks: { ...alerts.tasks, ...notices.tasks },
    recurring: [...alerts.recurring, ...notices.recurring],
    constraints: {
      external_identity_key: { problem: "alreadyExists", field: "identity" },
    },
    health: [
      () => readAuditHealth(platform),
      () => readSetupHealth(platform, parts.setup),
      ...checkSignOns,
      ...(separates ? [() => readDutyHealth(platform)] : []),
    ],
    start: () => alerts.start(),
    settle: async () => {
      await alerts.settle();
      await writeUses(platform.pool).catch(() => undefined);
    },
    findWarnings: async () => [
      ...(platform.settings.SECOND_FACTOR === undefined
        ? [
            "SECOND_FACTOR is not set: set it to console or all to require a second factor, or to off to allow logins with a password only",
          ]
        : []),
      ...(await warnOfNoPassword(platform.pool, platform.settings)),
      ...(separates ? await warnOfDuties(platform) : []),
    ],
  });
}
