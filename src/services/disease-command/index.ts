import type { ConstraintProblems } from "#platform/contract/problem.ts";
import { openTurns } from "#platform/jobs/turns.ts";
import type { Platform } from "#platform/process/platform.ts";
import { defineService, type Service, type ServiceModule, type WebPage } from "#platform/process/service.ts";
import { diseaseCommand } from "./contract.ts";
import { detections } from "./detection/store.ts";
import { teams } from "./emergency-team/store.ts";
import { hospitalSilent } from "./fever-clinic/conditions.ts";
import { feverClinics } from "./fever-clinic/store.ts";
import { openChanges } from "./overview/changes.ts";
import { persons } from "./person-store.ts";
import { diseaseCommandHandlers } from "./routes.ts";
import { capacities, monthSummaries, scenicSpots } from "./tables.ts";
import { themes } from "./theme/store.ts";
import { toiletsPage } from "./toilet/page.ts";
import { toilets } from "./toilet/store.ts";

/** The disease command service: what administrators keep, and the big screen shows. */
export const diseaseCommandModule: ServiceModule = {
  contract: diseaseCommand,
  create: createDiseaseCommand,
  conditions: [hospitalSilent],
  persons,
};

const uniqueKeys = [capacities, detections, feverClinics, monthSummaries, scenicSpots, teams, themes, toilets].flatMap(
  ({ unique = {} }) => Object.entries(unique),
);

const constraints: ConstraintProblems = {
  ...Object.fromEntries(uniqueKeys.map(([name, field]) => [name, { problem: "alreadyExists" as const, field }])),
  emergency_team_member_team_fkey: "notFound",
};

/** The command centre's wall; the console shows it in a theme that is not enabled. */
const screen: WebPage = {
  entry: "screen",
  paths: ["/screen/"],
  title: { zh: "疫情防控与应急指挥大屏", en: "Epidemic control and emergency command" },
  about: { zh: "指挥中心大屏：广播、检测、门诊、景区与公厕", en: "The command centre's wall, as it changes" },
};

// Each reads its file on a thread of its own.
const mostImportsAtOnce = 1;

function createDiseaseCommand(platform: Platform): Service {
  const changes = openChanges(platform.pool);
  const importTurns = openTurns({ atOnce: mostImportsAtOnce });
  return defineService(diseaseCommand, diseaseCommandHandlers(platform, changes, importTurns), {
    constraints,
    pages: [toiletsPage(platform), screen],
    settle: () => importTurns.settle(),
    prepare: () => changes.listen(),
  });
}
