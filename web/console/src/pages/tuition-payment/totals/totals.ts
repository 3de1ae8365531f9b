import type { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { toFen } from "#shared/money.ts";

export type GradeTotal = DataOf<typeof tuitionPayment.readOrderTotals>["grades"][number];

/** Amounts in fen; `left` is what is neither paid by an order nor recorded as paid. */
export interface Sums {
  readonly payables: number;
  readonly paidPayables: number;
  readonly due: number;
  readonly order: number;
  readonly decided: number;
  readonly left: number;
}

export const toSums = ({ payables, paidPayables, ...amounts }: GradeTotal): Sums => {
  const [due, order, decided] = [toFen(amounts.dueAmount), toFen(amounts.orderAmount), toFen(amounts.decidedAmount)];
  return { payables, paidPayables, due, order, decided, left: due - order - decided };
};

const nothing: Sums = { payables: 0, paidPayables: 0, due: 0, order: 0, decided: 0, left: 0 };

/** What several rows come to. */
export const addUp = (rows: readonly GradeTotal[]): Sums =>
  rows.map(toSums).reduce(
    (sum, row) => ({
      payables: sum.payables + row.payables,
      paidPayables: sum.paidPayables + row.paidPayables,
      due: sum.due + row.due,
      order: sum.order + row.order,
      decided: sum.decided + row.decided,
      left: sum.left + row.left,
    }),
    nothing,
  );

/** How much of what is due is paid, in percent; never 100 while something is left. */
export const toShare = ({ due, left }: Sums): number => (due === 0 ? 0 : Math.floor(((due - left) / due) * 1000) / 10);
