import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { found, keepRecords } from "#services/disease-command/records.ts";
import type { eventPlanningEndpoints } from "./contract.ts";
import { listPlansByMonth, plans } from "./store.ts";

export function eventPlanningHandlers({ settings }: Platform): Handlers<typeof eventPlanningEndpoints> {
  const { page, info, save, update, remove } = keepRecords(plans, settings);
  return {
    listPlans: page,
    listPlansByMonth: async ({ db, query }) => found(await listPlansByMonth(db, settings, query)),
    findPlan: info,
    savePlan: save,
    updatePlan: update,
    deletePlans: remove,
  };
}
