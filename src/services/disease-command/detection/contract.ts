import { endpoint } from "#platform/contract/endpoint.ts";
import { dateTime, day, freeText, requiredText } from "#platform/contract/wire.ts";
import * as records from "#services/disease-command/record-contract.ts";

export const detectionFields = {
  statisticsDate: day(),
  peopleType: requiredText().describe("Category of the people tested"),
  detectionCount: records.count(),
  abnormalCount: records.count(),
};

export const detection = records.recordOf(detectionFields).extend({ updateTime: dateTime() });

const unread = { updateTime: "text" } as const;
const at = "/detectionStatistics";

export const detectionEndpoints = {
  listDetection: records.page(`${at}/list`, records.open, "List detection statistics, newest first", {
    record: detection,
    filters: { ...records.daySpan, peopleType: freeText().optional() },
  }),
  saveDetection: records.save(
    `${at}/save`,
    records.token,
    "Add a detection statistic",
    detectionFields,
    ["alreadyExists"],
    unread,
  ),
  importDetection: endpoint({
    method: "POST",
    url: `${records.prefix}${at}/saveByExcel`,
    summary: "Add detection statistics out of a workbook, all or none",
    ...records.token,
    upload: { limit: "workbook" },
    answer: records.written,
    idempotent: true,
    problems: ["importFailed"],
  }),
  updateDetection: records.update(
    `${at}/update`,
    records.own,
    "Change a detection statistic",
    detectionFields,
    ["alreadyExists"],
    unread,
  ),
  deleteDetection: records.remove(`${at}/delete`, records.own, "Delete detection statistics"),
  detectionTemplate: records.template(`${at}/importTemplate`, "The workbook for detection statistics, to fill in"),
};
