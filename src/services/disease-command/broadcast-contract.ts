import * as z from "zod";
import {
  dateTime,
  freeText,
  listQuery,
  pageOf,
  ignoresFields,
  patternText,
  readLeniently,
  recordId,
  requiredText,
} from "#platform/contract/wire.ts";
import {
  changeOf,
  count,
  count32,
  find,
  get,
  open,
  post,
  read,
  recordOf,
  remove,
  save,
  undocumented,
  update,
} from "./record-contract.ts";

const clock = "(?:[01]\\d|2[0-3]):[0-5]\\d";
const periods = new RegExp(`^${clock}-${clock}(?:,${clock}-${clock})*$`);

const statisticsFields = {
  numOfDevice: count32().describe("Number of devices"),
  rateOfInline: z.number().min(0).max(1).describe("Share of the devices that are online, from 0 to 1"),
  numOfBroadcasts: count().describe("Total number of broadcasts"),
  broadcastDuration: count().optional().describe("Total duration of broadcasts in hours"),
  broadcastTime: readLeniently(
    patternText(periods, 255, {
      zh: "应为以逗号分隔的 HH:mm-HH:mm 时段",
      en: "must be comma-separated periods in the format HH:mm-HH:mm",
    })
      .describe("Periods of the day, comma-separated")
      .meta({ examples: ["07:00-08:30", "07:00-08:30,18:00-19:00"] }),
    toPeriods,
  ),
};

const loosePeriod = /^(\d{1,2}:\d{2})(?::[0-5]\d)? ?[-~] ?(\d{1,2}:\d{2})(?::[0-5]\d)?$/;

/**
 * Rewrites periods as old pages send them: without leading zeros, with seconds or blanks, or with `~` instead of the
 * hyphen. A period in any other format is returned unchanged.
 */
function toPeriods(text: string): string {
  const read = (part: string) => {
    const [, from, to] = loosePeriod.exec(part.trim()) ?? [];
    return from && to ? `${from.padStart(5, "0")}-${to.padStart(5, "0")}` : part;
  };
  return text.split(",").map(read).join(",");
}

export const broadcastStatistics = recordOf(statisticsFields).extend({
  broadcastDuration: count(),
  broadcastTime: z.string(),
});

export const recordFields = {
  title: requiredText(),
  address: requiredText().describe("Place"),
  broadcastType: requiredText(),
  messageType: requiredText(),
  content: requiredText(4000),
  playTime: dateTime().optional(),
  extraFile: freeText().optional().describe("imageName of an upload"),
};

export const broadcastRecord = recordOf(recordFields).extend({
  extraFileShowUrl: z.string().describe("Base address of files; append `extraFile` for the full address"),
});

const sortFields = ["id", ...Object.keys(recordFields)] as [string, ...string[]];
const unread = { extraFileShowUrl: "text" } as const;

export const broadcastEndpoints = {
  findBroadcastStatistics: read(
    "/broadcast/statistics/info",
    open,
    "Read the broadcast statistics",
    broadcastStatistics,
  ),
  updateBroadcastStatistics: update(
    "/broadcast/statistics/update",
    undocumented,
    "Change the broadcast statistics",
    statisticsFields,
  ),
  addBroadcastRecord: save(
    "/broadcast/record/add",
    undocumented,
    "Add a broadcast",
    recordFields,
    ["notAllowedNow"],
    unread,
  ),
  updateBroadcastRecord: post("/broadcast/record/update", {
    summary: "Change a broadcast",
    ...undocumented,
    body: ignoresFields(changeOf(recordFields), unread),
    problems: ["idMissing", "notFound", "notAllowedNow"],
  }),
  listBroadcastRecords: get("/broadcast/record/page", {
    summary: "List broadcasts, newest first, with their total number and duration",
    ...open,
    query: z.object({
      title: freeText().optional().describe("Substring of the title"),
      broadcastType: freeText().optional(),
      messageType: freeText().optional(),
      ...listQuery("curPage", sortFields),
    }),
    data: z.object({
      numOfBroadcasts: count().describe("Total number, from the broadcast statistics"),
      broadcastDuration: count().describe("Total duration in hours, from the broadcast statistics"),
      recordPage: pageOf(broadcastRecord),
    }),
  }),
  deleteBroadcastRecords: remove("/broadcast/record/delete", undocumented, "Delete broadcasts"),
  findBroadcastRecord: find(
    "/broadcast/record/info/:recordId",
    open,
    "Read a broadcast",
    { recordId: recordId() },
    broadcastRecord,
  ),
};
