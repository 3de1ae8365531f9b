import type { Turns } from "#platform/jobs/turns.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { administratorHandlers } from "./administrators/routes.ts";
import { broadcastHandlers } from "./broadcast/routes.ts";
import { capacityHandlers } from "./capacity/routes.ts";
import { consumptionHandlers } from "./consumption/routes.ts";
import type { endpoints } from "./contract.ts";
import { detectionHandlers } from "./detection/routes.ts";
import { emergencyTeamHandlers } from "./emergency-team/routes.ts";
import { eventPlanningHandlers } from "./event-planning/routes.ts";
import { feverClinicHandlers } from "./fever-clinic/routes.ts";
import { fileHandlers } from "./file/routes.ts";
import { mapHandlers } from "./map/routes.ts";
import { monthSummaryHandlers } from "./month-summary/routes.ts";
import type { Changes } from "./overview/changes.ts";
import { overviewHandlers } from "./overview/routes.ts";
import { scenicSpotHandlers } from "./scenic-spot/routes.ts";
import { themeHandlers } from "./theme/routes.ts";
import { toiletHandlers } from "./toilet/routes.ts";

/** What each operation of the contract does, module by module. */
export const diseaseCommandHandlers = (
  platform: Platform,
  changes: Changes,
  importTurns: Turns,
): Handlers<typeof endpoints> => ({
  ...administratorHandlers(platform),
  ...broadcastHandlers(platform),
  ...consumptionHandlers(platform),
  ...detectionHandlers(platform, importTurns),
  ...emergencyTeamHandlers(platform),
  ...eventPlanningHandlers(platform),
  ...monthSummaryHandlers(platform),
  ...feverClinicHandlers(platform, importTurns),
  ...fileHandlers(platform),
  ...scenicSpotHandlers(platform),
  ...capacityHandlers(platform),
  ...themeHandlers(platform),
  ...toiletHandlers(platform),
  ...mapHandlers(platform),
  ...overviewHandlers(platform, changes),
});
