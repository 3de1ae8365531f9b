import { requiredText } from "#platform/contract/wire.ts";
import * as records from "#services/disease-command/record-contract.ts";

const capacityFields = {
  scenicSpotName: requiredText(),
  maxCapacity: records.count32().describe("Visitors at a time"),
};

export const capacity = records.recordOf(capacityFields);

const at = "/scenicSpotMaxCapacitySetting";

export const capacityEndpoints = {
  listCapacities: records.page(`${at}/list`, records.own, "List the capacities of scenic spots, newest first", {
    record: capacity,
    filters: {},
  }),
  saveCapacity: records.save(`${at}/save`, records.own, "Set the capacity of a scenic spot", capacityFields, [
    "alreadyExists",
  ]),
  updateCapacity: records.update(`${at}/update`, records.own, "Change the capacity of a scenic spot", capacityFields, [
    "alreadyExists",
  ]),
  deleteCapacities: records.remove(`${at}/delete`, records.undocumented, "Delete capacities of scenic spots"),
};
