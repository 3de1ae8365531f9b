import type * as z from "zod";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { parseDateTime, writeTimes } from "#platform/contract/times.ts";
import { longLimits, setLimits, type Within } from "#platform/database/index.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import { toYuan } from "#services/tuition-payment/amounts.ts";
import { exportSheet, orderSheet } from "#services/tuition-payment/workbooks.ts";
import type { administratorOrderEndpoints, orderFilter, reconciliationEndpoints } from "./contract.ts";
import { askReceived, giveBack } from "./deciding.ts";
import { type Desk, requireOrder } from "./desk.ts";
import {
  countFigures,
  listCalls,
  listEvents,
  listLedger,
  listNotices,
  listRefundWords,
  sumTotals,
} from "./history-store.ts";
import { findOrder, findOrderWithin, findOwnOrder, type OrderFilter, streamOrders } from "./order-store.ts";
import { giveReceiptNo } from "./receipt-store.ts";
import {
  compareDay,
  type Comparison,
  handleDifference,
  listDifferences,
  listReconciledDays,
} from "./reconcile-store.ts";
import { askLong, dayBefore, dayOf, fetchRows } from "./reconciling.ts";
import { requestRefund } from "./refunding.ts";
import { presentOrders } from "./student-routes.ts";
import { toOrder, toReceipt } from "./wire.ts";

const mostMessage = 4000;

const toYuanOrNull = (fen: number | null): number | null => fen && toYuan(fen);

export function administratorOrderHandlers(desk: Desk): Handlers<typeof administratorOrderEndpoints> {
  const { pool, settings } = desk.platform;
  const zone = settings.TIME_ZONE;
  return {
    readReceipt: async ({ db, params: { orderNo }, guest: card, within }) => {
      const found =
        card === undefined ? await findOrderWithin(db, orderNo, within) : await findOwnOrder(db, orderNo, card);
      const order = requireOrder(found);
      if (order.items.every(({ state }) => state !== "paid"))
        throw explain("notAllowedNow", "订单未支付或已全部退款", "the order is not paid or has been refunded entirely");
      const receiptNo = order.receiptNo ?? (await giveReceiptNo(pool, order.id, zone));
      return toReceipt(order, receiptNo, zone, desk.platform.institution.current());
    },

    listOrders: async ({ db, query, within }) => presentOrders(db, toFilter(query, within, zone), query, zone),

    exportOrders: async (call) =>
      exportSheet(desk.platform, call, orderSheet, () => streamOrders(pool, toFilter(call.query, call.within, zone))),

    findOrder: async ({ db, params, within }) => {
      const order = requireOrder(await findOrderWithin(db, params.orderNo, within));
      const events = await listEvents(db, order.id);
      return { ...toOrder(order, zone), events: events.map((event) => writeTimes(event, zone)) };
    },

    readOrderHistory: async ({ db, params: { orderNo } }) => {
      const { id, receivedFen } = requireOrder(await findOrder(db, orderNo));
      const [refunds, calls, notices, ledger] = await Promise.all([
        listRefundWords(db, id),
        listCalls(db, id),
        listNotices(db, orderNo),
        listLedger(db, id),
      ]);
      return {
        receivedAmount: toYuanOrNull(receivedFen),
        refunds: refunds.map((refund) => writeTimes(refund, zone)),
        calls: calls.map((made) => writeTimes(made, zone)),
        notices: notices.map(({ body, ...notice }) => ({
          ...writeTimes(notice, zone),
          message: body.toString().slice(0, mostMessage),
        })),
        ledger: ledger.map(({ amountFen, ...line }) => ({ ...writeTimes(line, zone), amount: toYuan(amountFen) })),
      };
    },

    readOrderTotals: async ({ db, query, within }) => {
      const rows = await sumTotals(db, {
        ...query,
        grade: query.grade || undefined,
        years: query.years || undefined,
        within,
        zone,
      });
      return {
        grades: rows.map(({ dueFen, orderFen, decidedFen, ...row }) => ({
          ...row,
          dueAmount: toYuan(dueFen),
          orderAmount: toYuan(orderFen),
          decidedAmount: toYuan(decidedFen),
        })),
      };
    },

    readOrderFigures: async ({ db }) => {
      const { fenToday, ...row } = await countFigures(db, zone);
      return { ...row, amountToday: toYuan(fenToday) };
    },

    refundOrder: async ({ db, params: { orderNo }, body: { reason, items }, caller, audit }) => {
      const fen = await requestRefund(db, desk, orderNo, { reason, items, by: caller.userName });
      audit.records = [orderNo];
      audit.detail = { fen };
      return toOrder(requireOrder(await findOrder(db, orderNo)), zone);
    },

    giveBackOrder: withoutTransaction(async ({ params: { orderNo }, body: { reason }, caller, transact, audit }) => {
      const received = await askReceived(desk, orderNo);
      await transact(async (tx) => {
        const fen = await giveBack(tx, desk, orderNo, { received, reason, by: caller.userName });
        audit.records = [orderNo];
        audit.detail = { fen };
        return "1";
      });
      return toOrder(requireOrder(await findOrder(pool, orderNo)), zone);
    }),
  };
}

const toFilter = (query: z.output<typeof orderFilter>, within: Within, zone: string): OrderFilter => {
  const { keyword, mismatched, startTime, endTime, ...filter } = query;
  return {
    ...filter,
    within,
    keyword: keyword || undefined,
    isMismatched: mismatched,
    from: startTime === undefined ? undefined : parseDateTime(startTime, zone),
    to: endTime === undefined ? undefined : parseDateTime(endTime, zone),
  };
};

export const reconciliationHandlers = (desk: Desk): Handlers<typeof reconciliationEndpoints> => ({
  runReconciliation: withoutTransaction(async ({ body: { gateway, date }, transact, audit }) => {
    const rows = await fetchRows(desk, gateway, date);
    let found: Comparison = { matched: 0, long: 0, short: 0, mismatch: 0 };
    await transact(async (tx) => {
      await setLimits(tx, longLimits, "transaction");
      found = await compareDay(tx, gateway, date, rows);
      audit.detail = { gateway, date, ...found };
      return "1";
    });
    await askLong(desk, gateway, date);
    return { date, gateway, ...found };
  }),

  listReconciliation: async ({ db, query }) => {
    const filter = { ...query, orderNo: query.orderNo || undefined };
    const { rows, totalCount } = await listDifferences(db, filter, toListOrder(query, "id"));
    const list = rows.map(({ ourFen, theirFen, ...row }) => ({
      ...row,
      ourAmount: toYuanOrNull(ourFen),
      theirAmount: toYuanOrNull(theirFen),
    }));
    return toPage(list, totalCount, query);
  },

  listReconciledDays: async ({ db, query }) => {
    const last = query.endDate ?? dayOf(desk.platform.clock(), 0);
    const days = await listReconciledDays(db, query.startDate ?? dayBefore(last, 30), last);
    return days.map((day) => writeTimes(day, desk.platform.settings.TIME_ZONE));
  },

  handleReconciliation: async ({ db, params: { id }, body: { note }, caller, audit }) => {
    const outcome = await handleDifference(db, id, note, caller.userName);
    if (outcome === "gone") throw new Problem("notFound");
    if (outcome === "handled")
      throw explain("notAllowedNow", "该差异已处理", "the difference has already been handled");
    audit.records = [id];
    return "1";
  },
});
