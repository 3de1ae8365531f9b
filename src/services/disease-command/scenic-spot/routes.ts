import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { findRecord } from "#services/disease-command/record-store.ts";
import { found, keepRecords } from "#services/disease-command/records.ts";
import { scenicSpots } from "#services/disease-command/tables.ts";
import type { scenicSpotEndpoints } from "./contract.ts";

export function scenicSpotHandlers({ settings }: Platform): Handlers<typeof scenicSpotEndpoints> {
  const { page, info, save, update, remove } = keepRecords(scenicSpots, settings);
  return {
    listScenicSpots: page,
    findScenicSpot: info,
    findScenicSpotByName: async ({ db, params }) =>
      found(await findRecord(db, scenicSpots, settings, { column: "name", value: params.scenicSpotName })),
    addScenicSpot: save,
    updateScenicSpot: update,
    deleteScenicSpots: remove,
  };
}
