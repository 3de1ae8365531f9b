import type { capacity } from "./capacity/contract.ts";
import type { consumptionCategory } from "./consumption/contract.ts";
import type { monthSummary } from "./month-summary/contract.ts";
import { equals, type FieldOf, instant, plain, type RecordTable } from "./record-table.ts";
import type { scenicSpot } from "./scenic-spot/contract.ts";

export const capacities: RecordTable<FieldOf<typeof capacity>> = {
  table: "disease_command.capacity",
  columns: { scenicSpotName: plain("scenic_spot_name"), maxCapacity: plain("max_visitors") },
  unique: { capacity_scenic_spot_key: "scenicSpotName" },
};

export const consumptionCategories: RecordTable<FieldOf<typeof consumptionCategory>> = {
  table: "disease_command.consumption_category",
  columns: { categoryName: plain("name"), value: plain("value") },
};

export const monthSummaries: RecordTable<FieldOf<typeof monthSummary>> = {
  table: "disease_command.month_summary",
  columns: {
    title: plain("title"),
    content: plain("content"),
    images: plain("images"),
    month: plain("month"),
    publishTime: instant("published_at"),
  },
  filters: { month: equals("month") },
  unique: { month_summary_month_key: "month" },
  files: "images",
};

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
