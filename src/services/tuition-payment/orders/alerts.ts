import type { AlertCondition } from "#platform/process/alert.ts";
import { listOpenDifferences } from "./alert-store.ts";
import { failingSeconds, overdueSeconds } from "./health.ts";
import { readHealthFigures } from "./history-store.ts";

const differencesOpen: AlertCondition = {
  name: "differences-open",
  title: { zh: "对账差异待处理", en: "Reconciliation has open rows" },
  remedy: { zh: "在对账页逐条核对并处理", en: "Look at each on the page of reconciliation, and decide" },
  find: async ({ platform: { pool } }) =>
    (await listOpenDifferences(pool)).map(({ gateway, rows, firstDay }) => ({
      subject: gateway,
      says: {
        zh: `渠道 ${gateway} 自 ${firstDay} 起有对账差异待处理`,
        en: `The gateway ${gateway} has differences since ${firstDay} that nobody has decided about`,
      },
      figures: { rows, firstDay },
    })),
};

const ordersLate: AlertCondition = {
  name: "orders-late",
  title: { zh: "订单或退款处理逾期", en: "Orders or refunds are late" },
  remedy: {
    zh: "在订单页查看逾期的订单与未完成的退款；检查支付渠道的设置与网络",
    en: "See late orders and refunds on the page of orders; look at the gateway's settings and network",
  },
  part: "payments",
  find: async ({ platform: { pool } }) => {
    const figures = await readHealthFigures(pool, failingSeconds);
    const refunds = figures.failingRefunds;
    return [
      ...(figures.overdueSeconds > overdueSeconds
        ? [{ subject: "orders", says: { zh: "订单未按时处理", en: "Orders are not looked after in time" } }]
        : []),
      ...(refunds > 0
        ? [
            {
              subject: "refunds",
              says: { zh: "有退款一小时未完成", en: "Refunds have been asked for in vain for an hour" },
              figures: { refunds },
            },
          ]
        : []),
    ];
  },
};

/** What operators are told of the money. */
export const paymentAlerts: readonly AlertCondition[] = [differencesOpen, ordersLate];
