import type * as z from "zod";
import { formatDateTime } from "#platform/contract/times.ts";
import { toYuan } from "#services/tuition-payment/amounts.ts";
import type {
  order,
  orderEvent,
  orderFigures,
  orderHistory,
  orderTotals,
  receipt,
  reconciliationRow,
} from "./contract.ts";
import type { CallRow, EventRow, FiguresRow, LedgerRow, NoticeRow, RefundWord, TotalsRow } from "./history-store.ts";
import type { OrderItem, OrderRow } from "./order-store.ts";
import type { ReconciliationRow } from "./reconcile-store.ts";
import { toReceiptNo, toWords } from "./rules.ts";

export type Order = z.input<typeof order>;

const toTime = (at: Date | null, zone: string): string | null => at && formatDateTime(at, zone);
const toItem = ({ name, amountFen }: OrderItem) => ({ name, amount: toYuan(amountFen) });

/** An order in the contract's spelling. */
export function toOrder(row: OrderRow, zone: string): Order {
  return {
    orderNo: row.orderNo,
    studentNo: row.studentNo,
    studentName: row.studentName,
    grade: row.grade,
    amount: toYuan(row.amountFen),
    status: row.status,
    gateway: row.gateway,
    tradeNo: row.tradeNo,
    payables: toPayables(row.items),
    refundedAmount: toYuan(row.refundedFen),
    refunds: row.refunds.map((refund) => toRefund(refund, row.items, zone)),
    createTime: formatDateTime(row.createdAt, zone),
    expireTime: formatDateTime(row.expiresAt, zone),
    payTime: toTime(row.paidAt, zone),
    closeTime: toTime(row.closedAt, zone),
    refundTime: toTime(row.refundedAt, zone),
  };
}

const toPayables = (items: readonly OrderItem[]): Order["payables"] =>
  [...Map.groupBy(items, ({ payableId }) => payableId)].map(([payableId, own]) => ({
    payableId,
    years: own[0]?.years ?? "",
    items: own.map(toItem),
  }));

const toRefund = (
  { id, refundNo, amountFen, reason, requestedAt, doneAt }: OrderRow["refunds"][number],
  items: readonly OrderItem[],
  zone: string,
): Order["refunds"][number] => ({
  refundNo,
  amount: toYuan(amountFen),
  items: items
    .filter(({ refundId }) => refundId === id)
    .map((item) => ({ payableId: item.payableId, ...toItem(item) })),
  reason,
  status: doneAt === null ? "running" : "done",
  time: formatDateTime(new Date(requestedAt), zone),
});

/** Of an order that is paid. */
export function toReceipt(row: OrderRow, zone: string): z.input<typeof receipt> {
  const wire = toOrder(row, zone);
  return {
    ...wire,
    receiptNo: toReceiptNo(wire.payTime ?? "", row.id),
    amountInWords: toWords(row.amountFen - row.refundedFen),
  };
}

export const toEvent = ({ at, from, to, by }: EventRow, zone: string): z.input<typeof orderEvent> => ({
  time: formatDateTime(at, zone),
  from,
  to,
  by,
});

const mostMessage = 4000;

interface History {
  readonly receivedFen: number | null;
  readonly refunds: readonly RefundWord[];
  readonly calls: readonly CallRow[];
  readonly notices: readonly NoticeRow[];
  readonly ledger: readonly LedgerRow[];
}

export const toHistory = (
  { receivedFen, refunds, calls, notices, ledger }: History,
  zone: string,
): z.input<typeof orderHistory> => ({
  receivedAmount: toYuanOrNull(receivedFen),
  refunds: refunds.map(({ doneAt, ...word }) => ({ ...word, doneTime: toTime(doneAt, zone) })),
  calls: calls.map(({ startedAt, endedAt, ...call }) => ({
    time: formatDateTime(startedAt, zone),
    endTime: toTime(endedAt, zone),
    ...call,
  })),
  notices: notices.map(({ receivedAt, body, ...notice }) => ({
    time: formatDateTime(receivedAt, zone),
    ...notice,
    message: body.toString().slice(0, mostMessage),
  })),
  ledger: ledger.map(({ at, amountFen, ...line }) => ({
    time: formatDateTime(at, zone),
    ...line,
    amount: toYuan(amountFen),
  })),
});

export const toTotals = (rows: readonly TotalsRow[]): z.input<typeof orderTotals> => ({
  grades: rows.map(({ dueFen, orderFen, decidedFen, ...row }) => ({
    ...row,
    dueAmount: toYuan(dueFen),
    orderAmount: toYuan(orderFen),
    decidedAmount: toYuan(decidedFen),
  })),
});

export const toFigures = ({ fenToday, ...row }: FiguresRow): z.input<typeof orderFigures> => ({
  ...row,
  amountToday: toYuan(fenToday),
});

const toYuanOrNull = (fen: number | null): number | null => fen && toYuan(fen);

export const toReconciliationRow = ({
  ourFen,
  theirFen,
  ...row
}: ReconciliationRow): z.input<typeof reconciliationRow> => ({
  ...row,
  ourAmount: toYuanOrNull(ourFen),
  theirAmount: toYuanOrNull(theirFen),
});
