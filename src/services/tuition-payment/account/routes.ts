import { Problem } from "#platform/contract/problem.ts";
import { Within } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { itemsOf, toYuan } from "#services/tuition-payment/amounts.ts";
import { toFeedback } from "#services/tuition-payment/feedback.ts";
import { sumFen } from "#services/tuition-payment/orders/rules.ts";
import { toOrder } from "#services/tuition-payment/orders/wire.ts";
import { findPayable, sumDue } from "#services/tuition-payment/payable-store.ts";
import { toOwnPayable, toPayable } from "#services/tuition-payment/payables.ts";
import { type AccountRows, listNames, readAccount } from "./account-store.ts";
import type { studentAccountEndpoints } from "./contract.ts";

export const accountHandlers = ({
  settings: { TIME_ZONE: zone },
}: Platform): Handlers<typeof studentAccountEndpoints> => ({
  readOwnAccount: async ({ db, guest: card }) => {
    const account = await readAccount(db, [card], Within.everywhere);
    return { ...toAccount(account, zone), payables: account.payables.map((row) => toOwnPayable(row, zone)) };
  },

  readAccount: async ({ db, params: { payableId }, within }) => {
    if (!(await findPayable(db, payableId, within))) throw new Problem("notFound");
    const account = await readAccount(db, await listNames(db, [payableId]), within);
    return { ...toAccount(account, zone), payables: account.payables.map((row) => toPayable(row, zone)) };
  },
});

const add = (amounts: readonly number[]): number => amounts.reduce((sum, fen) => sum + fen, 0);

/** All sums are in fen. The paid amount is derived from the other sums, so the figures always add up. */
function sumAccount({ payables, refundedFen: refunded }: AccountRows) {
  const charged = sumFen(payables);
  const due = add(payables.map(sumDue));
  const money = payables.flatMap(({ adjustments }) => adjustments.filter(({ kind }) => kind !== "deferral"));
  const adjusted = add(money.map((made) => sumFen(itemsOf(made))));
  return { charged, adjusted, paid: charged - adjusted - due + refunded, refunded, due };
}

function toAccount(rows: AccountRows, zone: string) {
  const { charged, adjusted, paid, refunded, due } = sumAccount(rows);
  return {
    chargedAmount: toYuan(charged),
    adjustedAmount: toYuan(adjusted),
    paidAmount: toYuan(paid),
    refundedAmount: toYuan(refunded),
    dueAmount: toYuan(due),
    orders: rows.orders.map((row) => ({ ...toOrder(row, zone), receiptNo: row.receiptNo })),
    feedback: rows.feedback.map((row) => toFeedback(row, zone)),
  };
}
