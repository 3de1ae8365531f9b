import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { dateTime, freeText, month, requiredText, richText } from "#platform/contract/wire.ts";
import * as records from "#services/disease-command/record-contract.ts";

const summaryFields = {
  title: requiredText(),
  content: richText(),
  images: freeText(4000).optional().describe("The imageNames of uploads, separated by commas"),
  month: month().optional().describe("Left out on a create: the present month"),
  publishTime: dateTime().optional().describe("Left out on a create: now"),
};

export const monthSummary = records.recordOf(summaryFields).extend({ month: month(), publishTime: dateTime() });
const at = "/eventPlanningMonthSummary";

export const monthSummaryEndpoints = {
  listMonthSummaries: records.page(`${at}/list`, records.open, "List monthly summaries, newest first", {
    record: monthSummary,
    filters: { month: month().optional() },
  }),
  findMonthSummary: records.info(`${at}/info`, records.open, "One monthly summary", monthSummary),
  findSummaryOfMonth: endpoint({
    method: "GET",
    url: `${records.prefix}${at}/:month/info`,
    summary: "The summary of a month",
    ...records.open,
    params: z.object({ month: month() }),
    answer: { as: "envelope", data: monthSummary },
    problems: ["notFound"],
  }),
  saveMonthSummary: {
    ...records.save(`${at}/save`, records.undocumented, "Add the summary of a month", summaryFields, [
      "alreadyExists",
      "notAllowedNow",
    ]),
    bodyLimitBytes: records.richBodyBytes,
  },
  updateMonthSummary: {
    ...records.update(`${at}/update`, records.undocumented, "Change the summary of a month", summaryFields, [
      "alreadyExists",
      "notAllowedNow",
    ]),
    bodyLimitBytes: records.richBodyBytes,
  },
  deleteMonthSummaries: records.remove(`${at}/delete`, records.undocumented, "Delete monthly summaries"),
};
