import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { keepRecords } from "#services/disease-command/records.ts";
import { consumptionCategories } from "#services/disease-command/tables.ts";
import type { consumptionEndpoints } from "./contract.ts";

export function consumptionHandlers({ settings }: Platform): Handlers<typeof consumptionEndpoints> {
  const { page, update } = keepRecords(consumptionCategories, settings);
  return {
    // There is no newest: the six are there from the start, and are shown in their own order.
    listConsumption: ({ db, query }) => page({ db, query: { ...query, orderField: query.orderField ?? "id" } }),
    updateConsumption: update,
  };
}
