import type * as z from "zod";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Institution } from "#platform/process/institution.ts";
import { toYuan } from "#services/tuition-payment/amounts.ts";
import type { order, receipt } from "./contract.ts";
import type { OrderItem, OrderRow } from "./order-store.ts";
import { toWords } from "./rules.ts";

export type Order = z.input<typeof order>;

export const toTime = (at: Date | null, zone: string): string | null => at && formatDateTime(at, zone);
const toItem = ({ name, amountFen }: OrderItem) => ({ name, amount: toYuan(amountFen) });

export const toOrder = (row: OrderRow, zone: string): Order => ({
  orderNo: row.orderNo,
  studentNo: row.studentNo,
  studentName: row.studentName,
  grade: row.grade,
  amount: toYuan(row.amountFen),
  status: row.status,
  gateway: row.gateway,
  tradeNo: row.tradeNo,
  payables: [...Map.groupBy(row.items, ({ payableId }) => payableId)].map(([payableId, items]) => ({
    payableId,
    years: items[0]?.years ?? "",
    items: items.map(toItem),
  })),
  refundedAmount: toYuan(row.refundedFen),
  refunds: row.refunds.map((refund) => toRefund(refund, row.items, zone)),
  createTime: formatDateTime(row.createdAt, zone),
  expireTime: formatDateTime(row.expiresAt, zone),
  payTime: toTime(row.paidAt, zone),
  closeTime: toTime(row.closedAt, zone),
  refundTime: toTime(row.refundedAt, zone),
});

const toRefund = (
  { id, refundNo, amountFen, reason, status, requestedAt }: OrderRow["refunds"][number],
  items: readonly OrderItem[],
  zone: string,
): Order["refunds"][number] => ({
  refundNo,
  amount: toYuan(amountFen),
  items: items
    .filter(({ refundId }) => refundId === id)
    .map((item) => ({ payableId: item.payableId, ...toItem(item) })),
  reason,
  status,
  time: formatDateTime(new Date(requestedAt), zone),
});

export const toReceipt = (
  row: OrderRow,
  receiptNo: string,
  zone: string,
  { name, seal }: Pick<Institution, "name" | "seal">,
): z.input<typeof receipt> => ({
  ...toOrder(row, zone),
  receiptNo,
  ...(name !== "" && { payee: name }),
  ...(seal !== "" && { seal }),
  amountInWords: toWords(row.amountFen - row.refundedFen),
});
