import * as z from "zod";
import { requiredText } from "#platform/contract/wire.ts";
import * as records from "#services/disease-command/record-contract.ts";

const value = z.number().min(0).describe("In ten thousand yuan");

export const consumptionCategory = records.recordOf({ categoryName: requiredText(), value });

const at = "/consumptionCategoryStatistics";

export const consumptionEndpoints = {
  listConsumption: records.page(`${at}/list`, records.open, "List the consumption categories", {
    record: consumptionCategory,
    filters: {},
  }),
  updateConsumption: records.update(
    `${at}/update`,
    records.undocumented,
    "Change the value of a consumption category; its name stays",
    { value },
    [],
    { categoryName: "text" },
  ),
};
