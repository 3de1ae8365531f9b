import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { clearableText, requiredText } from "#platform/contract/wire.ts";
import * as records from "#services/disease-command/record-contract.ts";

const spotFields = {
  scenicSpotName: requiredText().describe("Exactly the name on the map"),
  scenicSpotDesc: requiredText(4000),
  responsibler: requiredText().describe("Person in charge"),
  responsiblerPhone: requiredText(),
  numOfEmergencyCrew: records.count32().describe("Persons"),
  numOfEmergencMaterial: records.count32().describe("Items"),
  image: requiredText().describe("The imageName of an upload"),
  // A link on a screen: any other scheme, such as javascript, would run there.
  urlOfVr: clearableText(/^(?:https?:\/\/|\/(?!\/))\S+$/i, 255, {
    zh: "应为 http 或 https 地址，或以 / 开头的路径",
    en: "must be an address of http or https, or a path that starts with /",
  })
    .optional()
    .meta({ examples: ["https://vr.example/spot/1"] }),
};

export const scenicSpot = records.recordOf(spotFields);

const at = "/scenicSpotOverview";

export const scenicSpotEndpoints = {
  listScenicSpots: records.page(`${at}/list`, records.open, "List scenic spots, newest first", {
    record: scenicSpot,
    filters: {},
  }),
  findScenicSpot: records.info(`${at}/info/id`, records.open, "One scenic spot", scenicSpot),
  findScenicSpotByName: endpoint({
    method: "GET",
    url: `${records.prefix}${at}/info/name/:scenicSpotName`,
    summary: "The scenic spot of a name",
    ...records.open,
    params: z.object({ scenicSpotName: requiredText() }),
    answer: { as: "envelope", data: scenicSpot },
    problems: ["notFound"],
  }),
  addScenicSpot: records.save(`${at}/add`, records.undocumented, "Add a scenic spot", spotFields, [
    "alreadyExists",
    "notAllowedNow",
  ]),
  updateScenicSpot: records.update(`${at}/update`, records.undocumented, "Change a scenic spot", spotFields, [
    "alreadyExists",
    "notAllowedNow",
  ]),
  deleteScenicSpots: records.remove(`${at}/delete`, records.undocumented, "Delete scenic spots"),
};
