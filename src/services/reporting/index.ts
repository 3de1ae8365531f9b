import { inLongTransaction } from "#platform/database/index.ts";
import { foldTallies } from "#platform/database/tally.ts";
import type { Platform } from "#platform/process/platform.ts";
import { endingRows } from "#platform/process/removal.ts";
import { defineService, type Service, type ServiceModule } from "#platform/process/service.ts";
import { reporting } from "./contract.ts";
import { alignTally, findTallyZone, tallied } from "./list-store.ts";
import { messagingTasks } from "./messaging.ts";
import { reportingPages } from "./pages.ts";
import { persons } from "./person-store.ts";
import { findReceiptKey, openReceipts, type Receipts } from "./receipts.ts";
import { retained } from "./retention-store.ts";
import { reportingHandlers } from "./routes.ts";
import { sealedColumns } from "./sealed.ts";
import { reportingSettings } from "./settings.ts";

const foldTask = "reporting-tally";

/** The reporting service: partners register projects, administrators judge them, the submitter is told. */
export const reportingModule: ServiceModule = {
  contract: reporting,
  settings: reportingSettings,
  create: createReporting,
  sealed: sealedColumns,
  persons,
  retained,
  over: () => [endingRows("reporting.known_open_id"), endingRows("reporting.submitter_session")],
};

function createReporting(platform: Platform): Service {
  const { pool, settings } = platform;
  let receipts: Receipts | undefined;
  const getReceipts = () => {
    if (!receipts) throw new Error("the service was not prepared");
    return receipts;
  };
  return defineService(reporting, reportingHandlers(platform, getReceipts), {
    pages: reportingPages(platform, getReceipts),
    tasks: {
      ...messagingTasks(platform, getReceipts),
      [foldTask]: () => foldTallies(pool, tallied),
    },
    recurring: [{ task: foldTask, pattern: "* * * * *" }],
    prepare: async () => {
      receipts = openReceipts(await findReceiptKey(pool));
      if ((await findTallyZone(pool)) !== settings.TIME_ZONE)
        await inLongTransaction(pool, (tx) => alignTally(tx, settings.TIME_ZONE));
    },
  });
}
