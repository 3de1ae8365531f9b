import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import { administratorEndpoints } from "./administrators/contract.ts";
import { broadcastEndpoints } from "./broadcast/contract.ts";
import { capacityEndpoints } from "./capacity/contract.ts";
import { consumptionEndpoints } from "./consumption/contract.ts";
import { detectionEndpoints } from "./detection/contract.ts";
import { emergencyTeamEndpoints } from "./emergency-team/contract.ts";
import { eventPlanningEndpoints } from "./event-planning/contract.ts";
import { feverClinicEndpoints } from "./fever-clinic/contract.ts";
import { fileEndpoints } from "./file/contract.ts";
import { mapEndpoints } from "./map/contract.ts";
import { monthSummaryEndpoints } from "./month-summary/contract.ts";
import { overviewEndpoints } from "./overview/contract.ts";
import { scenicSpotEndpoints } from "./scenic-spot/contract.ts";
import { themeEndpoints } from "./theme/contract.ts";
import { toiletEndpoints } from "./toilet/contract.ts";

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
  about: { zh: "应急队伍、检测、门诊与大屏", en: "Teams, detection, clinics and the big screen" },
  color: "#db2777",
  problems: sharedProblems,
  endpoints,
};
