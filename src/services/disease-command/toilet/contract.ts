import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { freeText, patternText, recordId, requiredText } from "#platform/contract/wire.ts";
import * as records from "#services/disease-command/record-contract.ts";

const longitude = "-?(?:180(?:\\.0+)?|(?:1[0-7]\\d|\\d{1,2})(?:\\.\\d+)?)";
const latitude = "-?(?:90(?:\\.0+)?|[1-8]?\\d(?:\\.\\d+)?)";

const toiletFields = {
  name: requiredText(),
  addrDesc: requiredText(4000),
  level: requiredText().describe("Construction grade"),
  area: requiredText().describe("Square metres"),
  numOfBarrierFree: records.count32().describe("Barrier-free stalls"),
  numOfThird: records.count32().describe("Third restrooms"),
  numOfMan: records.count32(),
  numOfWoman: records.count32(),
  numOfCommon: records.count32(),
  longitudeAndLatitude: patternText(new RegExp(`^${longitude}, ?${latitude}$`), 64, {
    zh: "应为“经度,纬度”，经度在 ±180、纬度在 ±90 以内",
    en: "must be longitude,latitude within ±180 and ±90",
  }).meta({ examples: ["114.305500,30.592800"] }),
  itemNo: freeText().optional(),
  status: z.enum(["1", "2"]).optional().describe("1 open, 2 not open; left out on a create: 1"),
  sort: records.int32().optional().describe("Left out on a create: 0"),
  thirdOpenFlag: freeText().optional().describe("Link to real-time data"),
  thirdOpenId: freeText().optional(),
};

export const toilet = records.recordOf(toiletFields).extend({ status: z.enum(["1", "2"]), sort: records.int32() });

export const miniToilet = z.object({
  id: recordId(),
  name: z.string(),
  longitudeAndLatitude: z.string(),
  flag: z.string().describe("-1: not linked to real-time data"),
});

/** What somebody who looks for one asks: the mini row, what the toilet has, and where it is in words. */
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

const at = "/toilet";

export const toiletEndpoints = {
  listToilets: records.page(`${at}/page`, records.open, "List toilets, newest first", {
    record: toilet,
    filters: { keyword: freeText().optional().describe("Stands anywhere in the name or the address") },
  }),
  listMiniToilets: endpoint({
    method: "GET",
    url: `${records.prefix}${at}/list/mini`,
    summary: "The open toilets in short, in their order",
    ...records.open,
    answer: { as: "envelope", data: z.array(miniToilet) },
  }),
  listNearbyToilets: endpoint({
    method: "GET",
    url: `${records.prefix}${at}/nearby`,
    summary: "The open toilets with what they have, in their order: who asks sorts them by distance",
    ...records.open,
    answer: { as: "envelope", data: z.array(nearbyToilet) },
    own: true,
  }),
  findToilet: records.info(`${at}/info`, records.open, "One toilet", toilet),
  saveToilet: records.save(`${at}/save`, records.undocumented, "Add a toilet", toiletFields, ["alreadyExists"]),
  updateToilet: records.update(`${at}/update`, records.undocumented, "Change a toilet", toiletFields, [
    "alreadyExists",
  ]),
  deleteToilets: records.remove(`${at}/delete`, records.own, "Delete toilets"),
};
