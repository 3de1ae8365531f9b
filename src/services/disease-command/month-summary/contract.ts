import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { dateTime, freeText, month, requiredText, richText } from "#platform/contract/wire.ts";
import {
  deleteEndpoint,
  infoEndpoint,
  open,
  pageEndpoint,
  prefix,
  recordOf,
  richBodyBytes,
  saveEndpoint,
  undocumented,
  updateEndpoint,
} from "#services/disease-command/record-contract.ts";

const summaryFields = {
  title: requiredText(),
  content: richText(),
  images: freeText(4000).optional().describe("The imageNames of uploads, separated by commas"),
  month: month().optional().describe("Left out on a create: the present month"),
  publishTime: dateTime().optional().describe("Left out on a create: now"),
};

export const monthSummary = recordOf(summaryFields).extend({ month: month(), publishTime: dateTime() });
const at = "/eventPlanningMonthSummary";

export const monthSummaryEndpoints = {
  listMonthSummaries: pageEndpoint(`${at}/list`, open, "List monthly summaries, newest first", {
    record: monthSummary,
    filters: { month: month().optional() },
  }),
  findMonthSummary: infoEndpoint(`${at}/info`, open, "One monthly summary", monthSummary),
  findSummaryOfMonth: endpoint({
    method: "GET",
    url: `${prefix}${at}/:month/info`,
    summary: "The summary of a month",
    ...open,
    params: z.object({ month: month() }),
    answer: { as: "envelope", data: monthSummary },
    problems: ["notFound"],
  }),
  saveMonthSummary: {
    ...saveEndpoint(`${at}/save`, undocumented, "Add the summary of a month", summaryFields, [
      "alreadyExists",
      "notAllowedNow",
    ]),
    bodyLimitBytes: richBodyBytes,
  },
  updateMonthSummary: {
    ...updateEndpoint(`${at}/update`, undocumented, "Change the summary of a month", summaryFields, [
      "alreadyExists",
      "notAllowedNow",
    ]),
    bodyLimitBytes: richBodyBytes,
  },
  deleteMonthSummaries: deleteEndpoint(`${at}/delete`, undocumented, "Delete monthly summaries"),
};
