import { type FieldOf, plain, type RecordTable } from "#services/disease-command/record-table.ts";
import type { scenicSpot } from "./contract.ts";

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
