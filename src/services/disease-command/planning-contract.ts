import * as z from "zod";
import { dateTime, freeText, listQuery, month, pageOf, requiredText, richText } from "#platform/contract/wire.ts";
import {
  find,
  get,
  info,
  open,
  page,
  recordOf,
  remove,
  richBodyBytes,
  save,
  undocumented,
  update,
} from "./record-contract.ts";

const planFields = {
  title: requiredText(),
  startTime: dateTime(),
  publishTime: dateTime().optional().describe("Default when creating: now"),
  content: richText(),
};

export const plan = recordOf(planFields).extend({ publishTime: dateTime() });
export const listedPlan = plan.extend({
  content: z.null().describe("Always null in lists; the operation that reads one plan returns the content"),
});

const span = {
  startTime: dateTime().optional().describe("Only plans that start at or after this time"),
  endTime: dateTime().optional().describe("Only plans that start at or before this time"),
};

export const eventPlanningEndpoints = {
  listPlans: page("/eventPlanning/list", open, "List activity plans, newest first", {
    record: listedPlan,
    filters: span,
  }),
  listPlansByMonth: get("/eventPlanning/list/groupByMonth", {
    summary: "List the months that have activity plans, newest first, each with its plans",
    ...open,
    query: z.object({ ...span, ...listQuery("curPage", ["month"]) }),
    data: pageOf(z.object({ month: month(), plannings: z.array(listedPlan) })),
  }),
  findPlan: info("/eventPlanning/info", open, "Read an activity plan", plan),
  savePlan: {
    ...save("/eventPlanning/save", undocumented, "Add an activity plan", planFields),
    bodyLimitBytes: richBodyBytes,
  },
  updatePlan: {
    ...update("/eventPlanning/update", undocumented, "Change an activity plan", planFields),
    bodyLimitBytes: richBodyBytes,
  },
  deletePlans: remove("/eventPlanning/delete", undocumented, "Delete activity plans"),
};

const summaryFields = {
  title: requiredText(),
  content: richText(),
  images: freeText(4000).optional().describe("imageNames of uploads, comma-separated"),
  month: month().optional().describe("Default when creating: the current month"),
  publishTime: dateTime().optional().describe("Default when creating: now"),
};

export const monthSummary = recordOf(summaryFields).extend({ month: month(), publishTime: dateTime() });

export const monthSummaryEndpoints = {
  listMonthSummaries: page("/eventPlanningMonthSummary/list", open, "List monthly summaries, newest first", {
    record: monthSummary,
    filters: { month: month().optional() },
  }),
  findMonthSummary: info("/eventPlanningMonthSummary/info", open, "Read a monthly summary", monthSummary),
  findSummaryOfMonth: find(
    "/eventPlanningMonthSummary/:month/info",
    open,
    "Read the summary of a month",
    { month: month() },
    monthSummary,
  ),
  saveMonthSummary: {
    ...save("/eventPlanningMonthSummary/save", undocumented, "Add the summary of a month", summaryFields, [
      "alreadyExists",
      "notAllowedNow",
    ]),
    bodyLimitBytes: richBodyBytes,
  },
  updateMonthSummary: {
    ...update("/eventPlanningMonthSummary/update", undocumented, "Change the summary of a month", summaryFields, [
      "alreadyExists",
      "notAllowedNow",
    ]),
    bodyLimitBytes: richBodyBytes,
  },
  deleteMonthSummaries: remove("/eventPlanningMonthSummary/delete", undocumented, "Delete monthly summaries"),
};
