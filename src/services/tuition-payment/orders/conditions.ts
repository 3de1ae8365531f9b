import { type Condition, isAbove } from "#platform/process/condition.ts";
import { type Part, readPart } from "#platform/process/health.ts";
import type { Desk } from "./desk.ts";
import { listOpenDifferences, readHealthFigures } from "./history-store.ts";

const part = "payments";
const overdueSeconds = 300;
const failingSeconds = 3600;

export const readPayments = ({ platform: { pool }, gateways }: Desk): Promise<Part> =>
  readPart(part, { zh: "学费支付", en: "Tuition payment" }, async () => ({
    gateways: [...gateways.all.keys()].join(", ") || null,
    ...(await readHealthFigures(pool, failingSeconds)),
  }));

export const paymentConditions: readonly Condition[] = [
  {
    name: "orders-late",
    title: { zh: "订单处理逾期", en: "Order processing is overdue" },
    remedy: {
      zh: "检查支付渠道的设置、网络与后台任务",
      en: "Check the gateway's settings, the network and background jobs",
    },
    severity: "warning",
    of: { part, holds: (figures) => isAbove(figures["overdueSeconds"], overdueSeconds) },
  },
  {
    name: "refunds-refused",
    title: { zh: "退款一小时未完成", en: "Refunds are not complete after an hour" },
    remedy: {
      zh: "在订单页查看未完成的退款及其原因",
      en: "Check the incomplete refunds and their reasons on the Orders page",
    },
    severity: "warning",
    of: { part, holds: (figures) => isAbove(figures["failingRefunds"], 0) },
  },
  {
    name: "orders-mismatched",
    title: { zh: "到账款项待处理", en: "Received payments await a decision" },
    remedy: { zh: "在待处理款项页逐笔处理", en: "Handle each case on the Payment exceptions page" },
    severity: "warning",
    of: { part, holds: (figures) => isAbove(figures["mismatchedOrders"], 0) },
  },
  {
    name: "differences-open",
    title: { zh: "对账差异待处理", en: "Reconciliation differences are open" },
    remedy: { zh: "在待处理款项页逐笔处理", en: "Handle each case on the Payment exceptions page" },
    severity: "warning",
    find: async ({ platform: { pool } }) =>
      (await listOpenDifferences(pool)).map(({ gateway, rows, firstDay }) => ({
        subject: gateway,
        says: {
          zh: `渠道 ${gateway} 自 ${firstDay} 起有对账差异待处理`,
          en: `The gateway ${gateway} has had open reconciliation differences since ${firstDay}`,
        },
        figures: { rows, firstDay },
      })),
  },
];
