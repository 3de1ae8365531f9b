import { inLongTransaction } from "#platform/database.ts";
import type { Platform } from "#platform/platform.ts";
import { defineService, type Service, type ServiceModule } from "#platform/service.ts";
import { reporting } from "./contract.ts";
import { loadDemo } from "./demo.ts";
import { forgetOldCodes, messagingTasks } from "./messaging.ts";
import { reportingHandlers } from "./routes.ts";
import { alignTally, findTallyZone, foldTally, foldTrades } from "./store.ts";

const tidyTask = "reporting-tidy";

/** The reporting service: partners register projects, administrators judge them, the submitter is told. */
export const reportingModule: ServiceModule = { contract: reporting, create: createReporting, demo: loadDemo };

function createReporting(platform: Platform): Service {
  const { pool, settings } = platform;
  return defineService(reporting, reportingHandlers(platform), {
    tasks: {
      ...messagingTasks(platform),
      [tidyTask]: async () => {
        await inLongTransaction(pool, foldTally);
        await inLongTransaction(pool, foldTrades);
        await forgetOldCodes(pool);
      },
    },
    recurring: [{ task: tidyTask, pattern: "23 * * * *" }],
    prepare: async () => {
      if ((await findTallyZone(pool)) !== settings.TIME_ZONE)
        await inLongTransaction(pool, (tx) => alignTally(tx, settings.TIME_ZONE));
    },
  });
}
