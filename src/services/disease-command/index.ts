import type { ConstraintProblems } from "#platform/contract/problem.ts";
import { openTurns } from "#platform/jobs/turns.ts";
import type { Platform } from "#platform/process/platform.ts";
import { defineService, type Service, type ServiceModule } from "#platform/process/service.ts";
import { openChanges } from "./changes.ts";
import { hospitalSilent } from "./conditions.ts";
import { diseaseCommand } from "./contract.ts";
import { diseaseCommandPages } from "./pages.ts";
import { persons } from "./person-store.ts";
import { capacities, scenicSpots, toilets } from "./place-store.ts";
import { monthSummaries } from "./planning-store.ts";
import { diseaseCommandHandlers } from "./routes.ts";
import { teams, themes } from "./screen-store.ts";
import { detections, feverClinics } from "./statistics-store.ts";

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

function createDiseaseCommand(platform: Platform): Service {
  const changes = openChanges(platform.pool);
  // Each import reads its file on a thread of its own.
  const importTurns = openTurns({ atOnce: 1 });
  return defineService(diseaseCommand, diseaseCommandHandlers(platform, changes, importTurns), {
    constraints,
    pages: diseaseCommandPages(platform),
    settle: () => importTurns.settle(),
    prepare: () => changes.listen(),
  });
}
