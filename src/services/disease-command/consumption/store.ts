import { type FieldOf, plain, type RecordTable } from "#services/disease-command/record-table.ts";
import type { consumptionCategory } from "./contract.ts";

export const consumptionCategories: RecordTable<FieldOf<typeof consumptionCategory>> = {
  table: "disease_command.consumption_category",
  columns: { categoryName: plain("name"), value: plain("value") },
};
