import { byCaller, writeAudit } from "#platform/accounts/audit.ts";
import type { StreamedAnswer } from "#platform/contract/endpoint.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { formatDateTime, parseDateTime } from "#platform/contract/times.ts";
import { longLimits, setLimits } from "#platform/database/index.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import { workbookHeaders } from "#platform/workbooks/index.ts";
import type { GatewayName } from "#services/tuition-payment/gateways/gateway.ts";
import type { orderEndpoints } from "./contract.ts";
import { describeGateway, type Desk, requireOrder } from "./desk.ts";
import {
  countFigures,
  listCalls,
  listEvents,
  listLedger,
  listNotices,
  listRefundWords,
  sumTotals,
} from "./history-store.ts";
import { findOrder, findOwnOrder, type OrderFilter } from "./order-store.ts";
import { type Comparison, handleDifference, listDifferences } from "./reconcile-store.ts";
import { compareRows, fetchRows } from "./reconciling.ts";
import { askReceived, requestRefund, returnMismatch } from "./refunding.ts";
import type { OrderStatus } from "./rules.ts";
import { presentOrders } from "./student-routes.ts";
import { toEvent, toFigures, toHistory, toOrder, toReceipt, toReconciliationRow, toTotals } from "./wire.ts";
import { exportOrders } from "./workbook.ts";

const service = "tuition-payment";

type OrderEndpoints = Pick<
  typeof orderEndpoints,
  | "listConfiguredGateways"
  | "readReceipt"
  | "listOrders"
  | "exportOrders"
  | "findOrder"
  | "readOrderHistory"
  | "readOrderTotals"
  | "readOrderFigures"
>;

/** The handlers of what administrators see of orders. */
export function administratorOrderHandlers(desk: Desk): Handlers<OrderEndpoints> {
  const { settings } = desk.platform;
  const zone = settings.TIME_ZONE;
  return {
    listConfiguredGateways: async ({ language }) =>
      [...desk.gateways.all.values()].map((gateway) => describeGateway(gateway, language)),

    readReceipt: async ({ db, params: { orderNo }, guest: card }) => {
      const found = card === undefined ? await findOrder(db, orderNo) : await findOwnOrder(db, orderNo, card);
      const order = requireOrder(found);
      if (order.status !== "paid") throw explain("notAllowedNow", "订单未支付", "the order is not paid");
      return toReceipt(order, zone);
    },

    listOrders: async ({ db, query }) => presentOrders(db, toFilter(query, zone), query, zone),

    exportOrders: (call) => exportWorkbook(desk, call),

    findOrder: async ({ db, params }) => {
      const order = requireOrder(await findOrder(db, params.orderNo));
      const events = await listEvents(db, order.id);
      return { ...toOrder(order, zone), events: events.map((event) => toEvent(event, zone)) };
    },

    readOrderHistory: async ({ db, params: { orderNo } }) => {
      const { id, receivedFen } = requireOrder(await findOrder(db, orderNo));
      const [refunds, calls, notices, ledger] = await Promise.all([
        listRefundWords(db, id),
        listCalls(db, id),
        listNotices(db, orderNo),
        listLedger(db, id),
      ]);
      return toHistory({ receivedFen, refunds, calls, notices, ledger }, zone);
    },

    readOrderTotals: async ({ db, query }) =>
      toTotals(await sumTotals(db, query.grade || undefined, query.years || undefined)),

    readOrderFigures: async ({ db }) => toFigures(await countFigures(db, zone)),
  };
}

interface FilterQuery {
  readonly status?: OrderStatus | undefined;
  readonly gateway?: GatewayName | undefined;
  readonly keyword?: string | undefined;
  readonly mismatched?: boolean | undefined;
  readonly startTime?: string | undefined;
  readonly endTime?: string | undefined;
}

const toFilter = (query: FilterQuery, zone: string): OrderFilter => {
  const { status, gateway, keyword, mismatched, startTime, endTime } = query;
  return {
    status,
    gateway,
    keyword: keyword || undefined,
    isMismatched: mismatched,
    from: startTime === undefined ? undefined : parseDateTime(startTime, zone),
    to: endTime === undefined ? undefined : parseDateTime(endTime, zone),
  };
};

async function exportWorkbook(
  { platform: { pool, settings, clock } }: Desk,
  { db, query, caller, address, language }: Call<OrderEndpoints["exportOrders"]>,
): Promise<StreamedAnswer> {
  const zone = settings.TIME_ZONE;
  const day = formatDateTime(new Date(clock()), zone).slice(0, 10);
  return {
    headers: workbookHeaders(`orders-${day}`),
    open: async () => {
      await writeAudit(db, { service, ...byCaller(caller), action: "exportOrders", outcome: "done", address });
      return exportOrders(pool, toFilter(query, zone), language, zone);
    },
  };
}

type RefundEndpoints = Pick<typeof orderEndpoints, "refundOrder" | "giveBackOrder">;

/** The handlers of money that goes back. */
export function refundHandlers(desk: Desk): Handlers<RefundEndpoints> {
  const { pool, settings } = desk.platform;
  const zone = settings.TIME_ZONE;
  return {
    refundOrder: async ({ db, params: { orderNo }, body: { reason, items }, caller, audit }) => {
      const fen = await requestRefund(db, desk, orderNo, { reason, items, by: caller.userName });
      audit.records = [orderNo];
      audit.detail = { fen };
      return toOrder(requireOrder(await findOrder(db, orderNo)), zone);
    },

    giveBackOrder: {
      withoutTransaction: async ({ params: { orderNo }, body: { reason }, caller, transact, audit }) => {
        const received = await askReceived(desk, orderNo);
        await transact(async (tx) => {
          const fen = await returnMismatch(tx, desk, orderNo, received, { reason, by: caller.userName });
          audit.records = [orderNo];
          audit.detail = { fen };
          return "1";
        });
        return toOrder(requireOrder(await findOrder(pool, orderNo)), zone);
      },
    },
  };
}

type ReconciliationEndpoints = Pick<
  typeof orderEndpoints,
  "runReconciliation" | "listReconciliation" | "handleReconciliation"
>;

/** The handlers of the comparison with what the gateways say. */
export const reconciliationHandlers = (desk: Desk): Handlers<ReconciliationEndpoints> => ({
  runReconciliation: { withoutTransaction: (call) => runReconciliation(desk, call) },

  listReconciliation: async ({ db, query }) => {
    const filter = { ...query, orderNo: query.orderNo || undefined };
    const { rows, totalCount } = await listDifferences(db, filter, toListOrder(query, "id"));
    return toPage(rows.map(toReconciliationRow), totalCount, query);
  },

  handleReconciliation: async ({ db, params: { id }, body: { note }, audit }) => {
    const outcome = await handleDifference(db, id, note);
    if (outcome === "gone") throw new Problem("notFound");
    if (outcome === "handled") throw explain("notAllowedNow", "该差异已处理", "somebody has decided about it before");
    audit.records = [id];
    return "1";
  },
});

async function runReconciliation(
  desk: Desk,
  { body: { gateway, date }, transact, audit }: Call<ReconciliationEndpoints["runReconciliation"]>,
) {
  const rows = await fetchRows(desk, gateway, date);
  let found: Comparison = { matched: 0, long: 0, short: 0, mismatch: 0 };
  await transact(async (tx) => {
    await setLimits(tx, longLimits, "transaction");
    found = await compareRows(tx, gateway, date, rows);
    audit.detail = { gateway, date, ...found };
    return "1";
  });
  return { date, gateway, ...found };
}
