import * as z from "zod";
import { clearableText, freeText, patternText, recordId, requiredText } from "#platform/contract/wire.ts";
import {
  count32,
  find,
  info,
  int32,
  open,
  openScoped,
  openOwn,
  own,
  page,
  read,
  recordOf,
  remove,
  save,
  undocumented,
  update,
} from "./record-contract.ts";

const spotFields = {
  scenicSpotName: requiredText().describe("Name, exactly as on the map"),
  scenicSpotDesc: requiredText(4000),
  responsibler: requiredText().describe("Person in charge"),
  responsiblerPhone: requiredText(),
  numOfEmergencyCrew: count32().describe("Number of emergency staff"),
  numOfEmergencMaterial: count32().describe("Number of emergency supplies"),
  image: requiredText().describe("imageName of an upload"),
  // The screen shows this address as a link, so schemes other than http and https are refused: a javascript: link would
  // execute code.
  urlOfVr: clearableText(/^(?:https?:\/\/|\/(?!\/))\S+$/i, 255, {
    zh: "应为 http 或 https 地址，或以 / 开头的路径",
    en: "must be an http or https address, or a path starting with /",
  })
    .optional()
    .meta({ examples: ["https://vr.example/spot/1"] }),
};

export const scenicSpot = recordOf(spotFields);

export const scenicSpotEndpoints = {
  listScenicSpots: page("/scenicSpotOverview/list", open, "List scenic spots, newest first", {
    record: scenicSpot,
    filters: {},
  }),
  findScenicSpot: info("/scenicSpotOverview/info/id", open, "Read a scenic spot", scenicSpot),
  findScenicSpotByName: find(
    "/scenicSpotOverview/info/name/:scenicSpotName",
    open,
    "Read the scenic spot with a given name",
    { scenicSpotName: requiredText() },
    scenicSpot,
  ),
  addScenicSpot: save("/scenicSpotOverview/add", undocumented, "Add a scenic spot", spotFields, [
    "alreadyExists",
    "notAllowedNow",
  ]),
  updateScenicSpot: update("/scenicSpotOverview/update", undocumented, "Change a scenic spot", spotFields, [
    "alreadyExists",
    "notAllowedNow",
  ]),
  deleteScenicSpots: remove("/scenicSpotOverview/delete", undocumented, "Delete scenic spots"),
};

const capacityFields = {
  scenicSpotName: requiredText(),
  maxCapacity: count32().describe("Maximum concurrent visitors"),
};

export const capacity = recordOf(capacityFields);

export const capacityEndpoints = {
  listCapacities: page("/scenicSpotMaxCapacitySetting/list", own, "List the capacities of scenic spots, newest first", {
    record: capacity,
    filters: {},
  }),
  saveCapacity: save("/scenicSpotMaxCapacitySetting/save", own, "Set the capacity of a scenic spot", capacityFields, [
    "alreadyExists",
  ]),
  updateCapacity: update(
    "/scenicSpotMaxCapacitySetting/update",
    own,
    "Change the capacity of a scenic spot",
    capacityFields,
    ["alreadyExists"],
  ),
  deleteCapacities: remove("/scenicSpotMaxCapacitySetting/delete", undocumented, "Delete capacities of scenic spots"),
};

const longitude = "-?(?:180(?:\\.0+)?|(?:1[0-7]\\d|\\d{1,2})(?:\\.\\d+)?)";
const latitude = "-?(?:90(?:\\.0+)?|[1-8]?\\d(?:\\.\\d+)?)";

const toiletFields = {
  name: requiredText(),
  addrDesc: requiredText(4000),
  level: requiredText().describe("Construction grade"),
  area: requiredText().describe("Square metres"),
  numOfBarrierFree: count32().describe("Barrier-free stalls"),
  numOfThird: count32().describe("Family restrooms (第三卫生间)"),
  numOfMan: count32(),
  numOfWoman: count32(),
  numOfCommon: count32(),
  longitudeAndLatitude: patternText(new RegExp(`^${longitude}, ?${latitude}$`), 64, {
    zh: "应为“经度,纬度”，经度在 ±180、纬度在 ±90 以内",
    en: "must be longitude,latitude within ±180 and ±90",
  }).meta({ examples: ["114.305500,30.592800"] }),
  itemNo: freeText().optional(),
  status: z.enum(["1", "2"]).optional().describe("1 open, 2 not open; default when creating: 1"),
  sort: int32().optional().describe("Default when creating: 0"),
  thirdOpenFlag: freeText().optional().describe("Identifies the toilet in the real-time data"),
  thirdOpenId: freeText().optional(),
};

export const toilet = recordOf(toiletFields).extend({ status: z.enum(["1", "2"]), sort: int32() });

export const miniToilet = z.object({
  id: recordId(),
  name: z.string(),
  longitudeAndLatitude: z.string(),
  flag: z.string().describe("-1: not linked to real-time data"),
});

export const nearbyToilet = toilet
  .pick({
    id: true,
    name: true,
    addrDesc: true,
    longitudeAndLatitude: true,
    numOfBarrierFree: true,
    numOfThird: true,
    numOfMan: true,
    numOfWoman: true,
    numOfCommon: true,
  })
  .extend({ flag: miniToilet.shape.flag });

export const toiletEndpoints = {
  listToilets: page("/toilet/page", openScoped, "List toilets, newest first", {
    record: toilet,
    filters: { keyword: freeText().optional().describe("Substring of the name or address") },
  }),
  listMiniToilets: read(
    "/toilet/list/mini",
    open,
    "List the open toilets in brief, in display order",
    z.array(miniToilet),
  ),
  listNearbyToilets: read(
    "/toilet/nearby",
    openOwn,
    "List the open toilets with their facilities, in display order (not sorted by distance)",
    z.array(nearbyToilet),
  ),
  findToilet: info("/toilet/info", openScoped, "Read a toilet", toilet),
  saveToilet: save("/toilet/save", { ...undocumented, scoped: true }, "Add a toilet", toiletFields, ["alreadyExists"]),
  updateToilet: update("/toilet/update", { ...undocumented, scoped: true }, "Change a toilet", toiletFields, [
    "alreadyExists",
  ]),
  deleteToilets: remove("/toilet/delete", { ...own, scoped: true }, "Delete toilets"),
};
