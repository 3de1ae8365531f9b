import { Problem } from "#platform/contract/problem.ts";
import type { Turns } from "#platform/jobs/turns.ts";
import type { Handlers } from "#platform/process/handler.ts";
import { administratorHandlers } from "./administrators.ts";
import type { endpoints } from "./contract.ts";
import { feedbackHandlers } from "./feedback.ts";
import type { Desk } from "./orders/desk.ts";
import { orderHandlers } from "./orders/routes.ts";
import { listPayLimits, setPayLimit } from "./pay-limit-store.ts";
import { payableFileHandlers, payableHandlers } from "./payables.ts";
import type { TuitionPlatform } from "./settings.ts";
import { studentHandlers } from "./students.ts";
import { toPayLimit } from "./wire-rows.ts";

/** What each operation of the contract does. */
export const tuitionPaymentHandlers = (
  platform: TuitionPlatform,
  turns: Turns,
  desk: Desk,
): Handlers<typeof endpoints> => ({
  ...administratorHandlers(platform),

  listPayLimits: async ({ db }) => (await listPayLimits(db)).map(toPayLimit),

  setPayLimit: async ({ db, params, audit }) => {
    const enabled = params.enablePay === "1";
    if (!(await setPayLimit(db, params.settingId, enabled))) throw new Problem("gradeNotFound");
    audit.records = [params.settingId];
    audit.detail = { enablePay: params.enablePay };
    return "1";
  },

  ...feedbackHandlers(platform),
  ...studentHandlers(platform),
  ...payableHandlers,
  ...payableFileHandlers(platform, turns),
  ...orderHandlers(desk),
});
