import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { type FieldOf, plain, type RecordTable } from "#services/disease-command/record-table.ts";
import { keepRecords } from "#services/disease-command/records.ts";
import type { capacity, capacityEndpoints } from "./contract.ts";

export function capacityHandlers({ settings }: Platform): Handlers<typeof capacityEndpoints> {
  const { page, save, update, remove } = keepRecords(capacities, settings);
  return { listCapacities: page, saveCapacity: save, updateCapacity: update, deleteCapacities: remove };
}

export const capacities: RecordTable<FieldOf<typeof capacity>> = {
  table: "disease_command.capacity",
  columns: { scenicSpotName: plain("scenic_spot_name"), maxCapacity: plain("max_visitors") },
  unique: { capacity_scenic_spot_key: "scenicSpotName" },
};
