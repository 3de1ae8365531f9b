import { requiredText } from "#platform/contract/wire.ts";
import {
  count32,
  deleteEndpoint,
  own,
  pageEndpoint,
  recordOf,
  saveEndpoint,
  undocumented,
  updateEndpoint,
} from "#services/disease-command/record-contract.ts";

const capacityFields = {
  scenicSpotName: requiredText(),
  maxCapacity: count32().describe("Visitors at a time"),
};

export const capacity = recordOf(capacityFields);

const at = "/scenicSpotMaxCapacitySetting";

export const capacityEndpoints = {
  listCapacities: pageEndpoint(`${at}/list`, own, "List the capacities of scenic spots, newest first", {
    record: capacity,
    filters: {},
  }),
  saveCapacity: saveEndpoint(`${at}/save`, own, "Set the capacity of a scenic spot", capacityFields, ["alreadyExists"]),
  updateCapacity: updateEndpoint(`${at}/update`, own, "Change the capacity of a scenic spot", capacityFields, [
    "alreadyExists",
  ]),
  deleteCapacities: deleteEndpoint(`${at}/delete`, undocumented, "Delete capacities of scenic spots"),
};
