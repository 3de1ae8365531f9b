import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { broadcastRecord, broadcastStatistics } from "#services/disease-command/broadcast/contract.ts";
import { consumptionCategory } from "#services/disease-command/consumption/contract.ts";
import { detection } from "#services/disease-command/detection/contract.ts";
import { teamStatistics } from "#services/disease-command/emergency-team/contract.ts";
import { listedPlan } from "#services/disease-command/event-planning/contract.ts";
import { feverClinic } from "#services/disease-command/fever-clinic/contract.ts";
import { monthSummary } from "#services/disease-command/month-summary/contract.ts";
import { open, prefix } from "#services/disease-command/record-contract.ts";
import { scenicSpot } from "#services/disease-command/scenic-spot/contract.ts";
import { theme } from "#services/disease-command/theme/contract.ts";
import { miniToilet } from "#services/disease-command/toilet/contract.ts";

const listedMonthSummary = monthSummary.extend({ content: z.null().describe("Read it with a detail operation") });

/** All that the screen shows, by the module that it comes from: the first part of the module's path. */
export const overview = z.object({
  broadcast: z.object({
    statistics: broadcastStatistics,
    records: z.array(broadcastRecord).describe("The newest 10"),
  }),
  consumptionCategoryStatistics: z.array(consumptionCategory),
  detectionStatistics: z.array(detection).describe("Of the latest 30 dates that have any, latest first"),
  emergencyTeam: teamStatistics,
  eventPlanning: z.array(listedPlan).describe("The first 20 from the present month on, earliest first"),
  eventPlanningMonthSummary: z.array(listedMonthSummary).describe("Of the newest 12 months, without their content"),
  feverClinicOfHospitalStatistics: z.array(feverClinic).describe("As lastData"),
  scenicSpotOverview: z.array(scenicSpot).describe("The newest 100"),
  theme: theme.nullable().describe("As currentItem"),
  toilet: z.array(miniToilet).describe("As list/mini"),
});

export const moduleNames = Object.keys(overview.shape) as [keyof typeof overview.shape];
export type ModuleName = (typeof moduleNames)[number];

/** What changes are told of: the parts of the overview, and the city's map, which is read by itself. */
export const changeNames = [...moduleNames, "map"] as const;
export type ChangeName = (typeof changeNames)[number];

export const overviewEndpoints = {
  readOverview: endpoint({
    method: "GET",
    url: `${prefix}/overview`,
    summary: "All that the big screen shows, out of the reads that are open to anyone",
    ...open,
    answer: { as: "envelope", data: overview },
    own: true,
  }),
  followChanges: endpoint({
    method: "GET",
    url: `${prefix}/changes`,
    summary:
      "Which parts of the overview change, and the map: once it has opened no change is missed, so read the overview then",
    ...open,
    answer: { as: "events", data: z.object({ module: z.enum(changeNames) }) },
    own: true,
  }),
};
