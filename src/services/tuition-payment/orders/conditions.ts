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
    title: { zh: "订单处理逾期", en: "Orders are not looked after in time" },
    remedy: {
      zh: "检查支付渠道的设置与网络，以及后台任务",
      en: "See whether the gateway answers, and whether jobs are worked off",
    },
    severity: "warning",
    of: { part, holds: (figures) => isAbove(figures["overdueSeconds"], overdueSeconds) },
  },
  {
    name: "refunds-refused",
    title: { zh: "退款一小时未完成", en: "A gateway has refused refunds for an hour" },
    remedy: { zh: "在订单页查看未完成的退款及其原因", en: "See the refunds and why on the page of orders" },
    severity: "warning",
    of: { part, holds: (figures) => isAbove(figures["failingRefunds"], 0) },
  },
  {
    name: "orders-mismatched",
    title: { zh: "订单实付金额不符", en: "Orders were paid in another amount" },
    remedy: { zh: "在待处理款项页逐笔处理", en: "Decide about each on the page of payment exceptions" },
    severity: "warning",
    of: { part, holds: (figures) => isAbove(figures["mismatchedOrders"], 0) },
  },
  {
    name: "differences-open",
    title: { zh: "对账差异待处理", en: "Reconciliation has open rows" },
    remedy: { zh: "在待处理款项页逐笔处理", en: "Decide about each on the page of payment exceptions" },
    severity: "warning",
    find: async ({ platform: { pool } }) =>
      (await listOpenDifferences(pool)).map(({ gateway, rows, firstDay }) => ({
        subject: gateway,
        says: {
          zh: `渠道 ${gateway} 自 ${firstDay} 起有对账差异待处理`,
          en: `The gateway ${gateway} has differences since ${firstDay} that nobody has decided about`,
        },
        figures: { rows, firstDay },
      })),
  },
];
