import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { keepRecords } from "#services/disease-command/records.ts";
import { capacities } from "#services/disease-command/tables.ts";
import type { capacityEndpoints } from "./contract.ts";

export function capacityHandlers({ settings }: Platform): Handlers<typeof capacityEndpoints> {
  const { page, save, update, remove } = keepRecords(capacities, settings);
  return { listCapacities: page, saveCapacity: save, updateCapacity: update, deleteCapacities: remove };
}
