import type * as z from "zod";
import { formatDateTime } from "#platform/contract/times.ts";
import { toYuan } from "./amounts.ts";
import type { payLimit } from "./contract.ts";
import type { feedback } from "./feedback-contract.ts";
import type { FeedbackRow } from "./feedback-store.ts";
import { type PayItem, writeItems } from "./items.ts";
import type { PayLimitRow } from "./pay-limit-store.ts";
import type { listedPayable, payable } from "./payable-contract.ts";
import type { PayableRow } from "./payable-store.ts";
import { statuOf } from "./rules.ts";

/** The items of a stored payable: its two lists put together. */
export const itemsOf = ({ itemNames, itemFen }: Pick<PayableRow, "itemNames" | "itemFen">): PayItem[] =>
  itemNames.map((name, index) => ({ name, amountFen: itemFen[index] ?? 0 }));

/** A stored payable in the contract's spelling, as administrators list it. */
export function toListedPayable(row: PayableRow): z.input<typeof listedPayable> {
  return {
    id: row.id,
    studentNo: row.studentNo,
    studentName: row.studentName,
    grade: row.grade,
    years: row.years,
    collegeName: row.collegeName,
    majorName: row.majorName,
    className: row.className,
    realPayAmount: toYuan(row.amountFen),
    payItemDetail: writeItems(itemsOf(row)),
  };
}

/** The same with whether it is paid. */
export const toPayable = (row: PayableRow): z.input<typeof payable> => ({
  ...toListedPayable(row),
  pay: row.paidBy !== null,
});

export const toPayLimit = ({ id, grade, gradeName, enabled }: PayLimitRow): z.input<typeof payLimit> => ({
  id,
  gradeName,
  grade,
  enablePay: enabled ? "1" : "2",
});

export const toFeedback = (row: FeedbackRow, zone: string): z.input<typeof feedback> => ({
  id: row.id,
  feedbackPersonIdentify: row.cardNumber,
  feedbackPersonName: row.name,
  feedbackPersonPhone: row.phone,
  feedbackInfo: row.info,
  statu: statuOf(row.processedAt),
  publishTime: formatDateTime(row.createdAt, zone),
  handleTime: row.processedAt === null ? null : formatDateTime(row.processedAt, zone),
});
