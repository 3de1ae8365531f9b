import { byCaller, writeAudit } from "#platform/accounts/audit.ts";
import type { StreamedAnswer } from "#platform/contract/endpoint.ts";
import { explain } from "#platform/contract/problem.ts";
import { formatDateTime, parseDateTime } from "#platform/contract/times.ts";
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
import { presentOrders } from "./listing.ts";
import { findOrder, findOwnOrder, type OrderFilter } from "./order-store.ts";
import type { OrderStatus } from "./rules.ts";
import { toEvent, toFigures, toHistory, toOrder, toReceipt, toTotals } from "./wire.ts";
import { exportOrders } from "./workbook.ts";

const service = "tuition-payment";

type Endpoints = Pick<
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
export function administratorOrderHandlers(desk: Desk): Handlers<Endpoints> {
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
  { db, query, caller, address, language }: Call<Endpoints["exportOrders"]>,
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
