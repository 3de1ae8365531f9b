import * as z from "zod";
import { requiredText } from "#platform/contract/wire.ts";
import {
  open,
  pageEndpoint,
  recordOf,
  undocumented,
  updateEndpoint,
} from "#services/disease-command/record-contract.ts";

const value = z.number().min(0).describe("In ten thousand yuan");

export const consumptionCategory = recordOf({ categoryName: requiredText(), value });

const at = "/consumptionCategoryStatistics";

export const consumptionEndpoints = {
  listConsumption: pageEndpoint(`${at}/list`, open, "List the consumption categories", {
    record: consumptionCategory,
    filters: {},
  }),
  updateConsumption: updateEndpoint(
    `${at}/update`,
    undocumented,
    "Change the value of a consumption category; its name stays",
    { value },
    [],
    { categoryName: "text" },
  ),
};
