import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import { administratorEndpoints, fileEndpoints } from "./account-contract.ts";
import { broadcastEndpoints } from "./broadcast-contract.ts";
import { capacityEndpoints, scenicSpotEndpoints, toiletEndpoints } from "./place-contract.ts";
import { eventPlanningEndpoints, monthSummaryEndpoints } from "./planning-contract.ts";
import { dimensions } from "./scope-contract.ts";
import { mapEndpoints, overviewEndpoints, themeEndpoints } from "./screen-contract.ts";
import { consumptionEndpoints, detectionEndpoints, feverClinicEndpoints } from "./statistics-contract.ts";
import { emergencyTeamEndpoints } from "./team-contract.ts";

export const endpoints = {
  ...administratorEndpoints,
  ...broadcastEndpoints,
  ...consumptionEndpoints,
  ...detectionEndpoints,
  ...emergencyTeamEndpoints,
  ...eventPlanningEndpoints,
  ...monthSummaryEndpoints,
  ...feverClinicEndpoints,
  ...fileEndpoints,
  ...scenicSpotEndpoints,
  ...capacityEndpoints,
  ...themeEndpoints,
  ...toiletEndpoints,
  ...mapEndpoints,
  ...overviewEndpoints,
};

export const diseaseCommand: ServiceContract<typeof endpoints> = {
  name: "disease-command",
  title: { zh: "疾病防控指挥", en: "Disease command" },
  about: { zh: "应急队伍、检测、门诊与大屏", en: "Teams, detection, clinics and the command screen" },
  color: "#db2777",
  dimensions,
  problems: sharedProblems,
  endpoints,
};
