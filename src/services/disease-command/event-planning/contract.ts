import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { dateTime, listQuery, month, pageOf, requiredText, richText } from "#platform/contract/wire.ts";
import * as records from "#services/disease-command/record-contract.ts";

const planFields = {
  title: requiredText(),
  startTime: dateTime(),
  publishTime: dateTime().optional().describe("Left out on a create: now"),
  content: richText(),
};

export const plan = records.recordOf(planFields).extend({ publishTime: dateTime() });
export const listedPlan = plan.extend({ content: z.null().describe("Read it with the detail operation") });

const span = {
  startTime: dateTime().optional().describe("Plans that start then or later"),
  endTime: dateTime().optional().describe("Plans that start then or earlier"),
};

const at = "/eventPlanning";

export const eventPlanningEndpoints = {
  listPlans: records.page(`${at}/list`, records.open, "List activity plans, newest first", {
    record: listedPlan,
    filters: span,
  }),
  listPlansByMonth: endpoint({
    method: "GET",
    url: `${records.prefix}${at}/list/groupByMonth`,
    summary: "List the months that have activity plans, newest first, each with its plans",
    ...records.open,
    query: z.object({ ...span, ...listQuery("curPage", ["month"]) }),
    answer: { as: "envelope", data: pageOf(z.object({ month: month(), plannings: z.array(listedPlan) })) },
  }),
  findPlan: records.info(`${at}/info`, records.open, "One activity plan", plan),
  savePlan: {
    ...records.save(`${at}/save`, records.undocumented, "Add an activity plan", planFields),
    bodyLimitBytes: records.richBodyBytes,
  },
  updatePlan: {
    ...records.update(`${at}/update`, records.undocumented, "Change an activity plan", planFields),
    bodyLimitBytes: records.richBodyBytes,
  },
  deletePlans: records.remove(`${at}/delete`, records.undocumented, "Delete activity plans"),
};
