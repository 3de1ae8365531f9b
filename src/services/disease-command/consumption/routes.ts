import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { type FieldOf, plain, type RecordTable } from "#services/disease-command/record-table.ts";
import { keepRecords } from "#services/disease-command/records.ts";
import type { consumptionCategory, consumptionEndpoints } from "./contract.ts";

export function consumptionHandlers({ settings }: Platform): Handlers<typeof consumptionEndpoints> {
  const { page, update } = keepRecords(consumptionCategories, settings);
  return {
    // There is no newest: the six are there from the start, and are shown in their own order.
    listConsumption: ({ db, query }) => page({ db, query: { ...query, orderField: query.orderField ?? "id" } }),
    updateConsumption: update,
  };
}

export const consumptionCategories: RecordTable<FieldOf<typeof consumptionCategory>> = {
  table: "disease_command.consumption_category",
  columns: { categoryName: plain("name"), value: plain("value") },
};
