import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { findRecord } from "#services/disease-command/record-store.ts";
import { type FieldOf, plain, type RecordTable } from "#services/disease-command/record-table.ts";
import { found, keepRecords } from "#services/disease-command/records.ts";
import type { scenicSpot, scenicSpotEndpoints } from "./contract.ts";

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

export const scenicSpots: RecordTable<FieldOf<typeof scenicSpot>> = {
  table: "disease_command.scenic_spot",
  columns: {
    scenicSpotName: plain("name"),
    scenicSpotDesc: plain("description"),
    responsibler: plain("person_in_charge"),
    responsiblerPhone: plain("phone"),
    numOfEmergencyCrew: plain("emergency_crew"),
    numOfEmergencMaterial: plain("emergency_material"),
    image: plain("image"),
    urlOfVr: plain("vr_url"),
  },
  unique: { scenic_spot_name_key: "scenicSpotName" },
  files: "image",
};
