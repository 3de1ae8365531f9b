import { type FieldOf, plain, type RecordTable } from "#services/disease-command/record-table.ts";
import type { capacity } from "./contract.ts";

export const capacities: RecordTable<FieldOf<typeof capacity>> = {
  table: "disease_command.capacity",
  columns: { scenicSpotName: plain("scenic_spot_name"), maxCapacity: plain("max_visitors") },
  unique: { capacity_scenic_spot_key: "scenicSpotName" },
};
