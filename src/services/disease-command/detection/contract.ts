import { endpoint } from "#platform/contract/endpoint.ts";
import { dateTime, day, freeText, requiredText } from "#platform/contract/wire.ts";
import {
  count,
  daySpan,
  deleteEndpoint,
  open,
  own,
  pageEndpoint,
  prefix,
  recordOf,
  saveEndpoint,
  templateEndpoint,
  token,
  updateEndpoint,
  written,
} from "#services/disease-command/record-contract.ts";

export const detectionFields = {
  statisticsDate: day(),
  peopleType: requiredText().describe("Category of the people tested"),
  detectionCount: count(),
  abnormalCount: count(),
};

export const detection = recordOf(detectionFields).extend({ updateTime: dateTime() });

const unread = { updateTime: "text" } as const;
const at = "/detectionStatistics";

export const detectionEndpoints = {
  listDetection: pageEndpoint(`${at}/list`, open, "List detection statistics, newest first", {
    record: detection,
    filters: { ...daySpan, peopleType: freeText().optional() },
  }),
  saveDetection: saveEndpoint(
    `${at}/save`,
    token,
    "Add a detection statistic",
    detectionFields,
    ["alreadyExists"],
    unread,
  ),
  importDetection: endpoint({
    method: "POST",
    url: `${prefix}${at}/saveByExcel`,
    summary: "Add detection statistics out of a workbook, all or none",
    ...token,
    upload: { limit: "workbook" },
    answer: written,
    idempotent: true,
    problems: ["importFailed"],
  }),
  updateDetection: updateEndpoint(
    `${at}/update`,
    own,
    "Change a detection statistic",
    detectionFields,
    ["alreadyExists"],
    unread,
  ),
  deleteDetection: deleteEndpoint(`${at}/delete`, own, "Delete detection statistics"),
  detectionTemplate: templateEndpoint(`${at}/importTemplate`, "The workbook for detection statistics, to fill in"),
};
