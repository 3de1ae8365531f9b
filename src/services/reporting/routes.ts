import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { administratorHandlers } from "./administrators.ts";
import type { endpoints } from "./contract.ts";
import { decisionHandlers } from "./decision-routes.ts";
import { fileHandlers } from "./file-routes.ts";
import { readingHandlers } from "./reading-routes.ts";
import type { Receipts } from "./receipts.ts";
import { submissionHandlers } from "./submission-routes.ts";

/** What each operation of the contract does. */
export const reportingHandlers = (platform: Platform, receipts: () => Receipts): Handlers<typeof endpoints> => ({
  ...fileHandlers(platform),
  ...submissionHandlers(platform, receipts),
  ...decisionHandlers(platform),
  ...readingHandlers(platform, receipts),
  ...administratorHandlers(platform),
});
