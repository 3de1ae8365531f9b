import { administratorHandlers, toWireScope } from "#platform/accounts/administrator-handlers.ts";
import { signIn } from "#platform/accounts/login.ts";
import { Problem } from "#platform/contract/problem.ts";
import type { Semaphore } from "#platform/jobs/semaphore.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import { accountHandlers } from "./account/routes.ts";
import { adjustmentHandlers } from "./adjustments/routes.ts";
import type { endpoints } from "./contract.ts";
import { feedbackHandlers } from "./feedback.ts";
import { journalHandlers } from "./journal/routes.ts";
import { administratorOrderHandlers, reconciliationHandlers } from "./orders/admin-routes.ts";
import { deskHandlers, refundHandlers } from "./orders/desk-routes.ts";
import type { Desk } from "./orders/desk.ts";
import { gatewayHandlers } from "./orders/gateway-routes.ts";
import { linkHandlers } from "./orders/link-routes.ts";
import { manyRefundHandlers } from "./orders/many-refunds.ts";
import { studentOrderHandlers } from "./orders/student-routes.ts";
import { listPayLimits, setPayLimit } from "./payable-store.ts";
import { payableChangeHandlers, payableFileHandlers, payableHandlers, toPayLimit } from "./payables.ts";
import { studentHandlers } from "./students.ts";

const service = "tuition-payment";

export const tuitionPaymentHandlers = (desk: Desk, turns: Semaphore): Handlers<typeof endpoints> => ({
  login: withoutTransaction(async (call) => {
    const { account, token, expireTime } = await signIn(desk.platform, service, call);
    return { userName: account.userName, token, expireTime, ...toWireScope(account.scope) };
  }),
  ...administratorHandlers(desk.platform, service, "id"),

  listPayLimits: async ({ db, within }) => (await listPayLimits(db, within)).map(toPayLimit),

  setPayLimit: async ({ db, params, audit }) => {
    const enabled = params.enablePay === "1";
    if (!(await setPayLimit(db, params.settingId, enabled))) throw new Problem("gradeNotFound");
    audit.records = [params.settingId];
    audit.detail = { enablePay: params.enablePay };
    return "1";
  },

  ...feedbackHandlers(desk.platform),
  ...accountHandlers(desk.platform),
  ...studentHandlers(desk.platform),
  ...payableHandlers(desk.platform),
  ...payableChangeHandlers,
  ...payableFileHandlers(desk.platform, turns),
  ...adjustmentHandlers(desk.platform),
  ...journalHandlers(desk.platform),
  ...studentOrderHandlers(desk),
  ...administratorOrderHandlers(desk),
  ...reconciliationHandlers(desk),
  ...gatewayHandlers(desk),
  ...linkHandlers(desk),
  ...refundHandlers(desk),
  ...manyRefundHandlers(desk, turns),
  ...deskHandlers(desk),
});
