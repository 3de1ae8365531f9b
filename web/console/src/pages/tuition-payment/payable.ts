import type { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { DataOf, RecordOf } from "#shared/call/operation.ts";
import { formatFen, parseYuan, toFen, writeYuan } from "#shared/money.ts";

export type Payable = RecordOf<typeof tuitionPayment.listPayables>;
export type PayableDetail = DataOf<typeof tuitionPayment.findPayable>;

/** One thing to pay for, as it is typed. */
export interface TypedItem {
  readonly name: string;
  readonly amount: string;
}

const between = "\\";
const beforeAmount = ":";

/** `学费:4800\住宿费:1200`, item by item. */
export const readItems = (detail: string): TypedItem[] =>
  detail.split(between).map((part) => {
    const [name = "", amount = ""] = part.split(beforeAmount);
    return { name, amount };
  });

/** What `readItems` reads; amounts are written as the server writes them. */
export const writeItems = (items: readonly TypedItem[]): string =>
  items
    .map(({ name, amount }) => {
      const fen = parseYuan(amount);
      return `${name.trim()}${beforeAmount}${fen === undefined ? amount : writeYuan(fen)}`;
    })
    .join(between);

/** Colon and backslash part items and amounts on the wire; a name that holds one could not be read again. */
export const isItemName = (name: string): boolean => name.trim() !== "" && !/[:\\]/.test(name);

/** "4,800.00", to stand in a column of amounts. */
export const formatAmount = (yuan: number): string => formatFen(toFen(yuan)).slice(1);

/** An item's amount with two decimals, or as it is. */
export const formatTyped = (amount: string): string => {
  const fen = parseYuan(amount);
  return fen === undefined ? amount : formatFen(fen).slice(1);
};
