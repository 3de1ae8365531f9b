import type { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { toFen } from "#shared/money.ts";

export type Account = DataOf<typeof tuitionPayment.readAccount>;

type Payable = Account["payables"][number];

/** The amount charged is the sum of the amounts adjusted, paid and due. */
export interface ItemSums {
  readonly name: string;
  readonly chargedFen: number;
  readonly adjustedFen: number;
  readonly paidFen: number;
  readonly dueFen: number;
}

export const sumItemsOf = ({ items, adjustments }: Pick<Payable, "items" | "adjustments">): ItemSums[] =>
  items.map(({ name, amount, due }) => {
    const parts = adjustments.filter(({ kind }) => kind !== "deferral").flatMap((made) => made.items);
    const adjustedFen = parts.reduce((fen, part) => (part.name === name ? fen + toFen(part.amount) : fen), 0);
    const [chargedFen, dueFen] = [toFen(amount), toFen(due)];
    return { name, chargedFen, adjustedFen, paidFen: chargedFen - adjustedFen - dueFen, dueFen };
  });
