import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { formatFen, parseYuan, toFen, writeYuan } from "#shared/money.ts";
import { useBatch } from "#console/blocks/use-batch.ts";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { call } from "#console/call/call.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/tuition-payment/texts.ts";
import { today } from "#console/blocks/format.ts";
import { Status } from "#console/blocks/status.tsx";

export type Payable = RecordOf<typeof tuitionPayment.listPayables>;

export interface TypedItem {
  readonly name: string;
  readonly amount: string;
}

const between = "\\";
const beforeAmount = ":";

/** Parses `学费:4800\住宿费:1200`. */
export const readItems = (detail: string): TypedItem[] =>
  detail.split(between).map((part) => {
    const [name = "", amount = ""] = part.split(beforeAmount);
    return { name, amount };
  });

export const writeItems = (items: readonly TypedItem[]): string =>
  items
    .map(({ name, amount }) => {
      const fen = parseYuan(amount);
      return `${name.trim()}${beforeAmount}${fen === undefined ? amount : writeYuan(fen)}`;
    })
    .join(between);

/** The API separates items by backslashes and their parts by colons, so a name must contain neither. */
export const isItemName = (name: string): boolean => name.trim() !== "" && !/[:\\]/.test(name);

export const formatAmount = (yuan: number): string => formatFen(toFen(yuan)).slice(1);

export const formatTyped = (amount: string): string => {
  const fen = parseYuan(amount);
  return fen === undefined ? amount : formatFen(fen).slice(1);
};

export function usePayableWords() {
  const t = useTexts();
  return {
    who: ({ studentName, studentNo }: Pick<Payable, "studentName" | "studentNo">) => t.who(studentName, studentNo),
    describe: (payable: Payable) => t.describe({ ...payable, amount: sumOf([payable]) }),
  };
}

const sumOf = (payables: readonly Payable[]): string =>
  formatFen(payables.reduce((sum, { realPayAmount }) => sum + toFen(realPayAmount), 0));

export function usePayableRemoval() {
  const t = useTexts();
  const confirm = useConfirm();
  const batch = useBatch("tuition-payment");
  const removeOne = useChange(tuitionPayment.deletePayable, { done: t.removed });
  const { describe } = usePayableWords();
  return {
    remove: (payable: Payable, onDone: () => void) =>
      confirm({
        title: t.removeTitle(describe(payable)),
        needs: tuitionPayment.deletePayable,
        work: async () => {
          await removeOne.mutateAsync({ params: { id: payable.id } });
          onDone();
        },
      }),
    removeAll: (payables: readonly Payable[], onDone: (failed: readonly Payable[]) => void) =>
      confirm({
        title: t.removeManyTitle(payables.length, sumOf(payables)),
        needs: tuitionPayment.deletePayable,
        about: `${t.listNames([...new Set(payables.map(({ studentName }) => studentName))])}${t.removeManyAbout}`,
        work: async () =>
          onDone(await batch(payables, ({ id }) => call(tuitionPayment.deletePayable, { params: { id } }))),
      }),
  };
}

export const Yuan = ({ amount }: { readonly amount: number }) => (
  <span className="q-figures">{formatAmount(amount)}</span>
);

export function PaidState({ payable }: { readonly payable: Pick<Payable, "due" | "dueDate" | "realPayAmount"> }) {
  const t = useTexts();
  const { due, dueDate, realPayAmount } = payable;
  const state = due === 0 ? "paid" : due < realPayAmount ? "partly" : "unpaid";
  const isOverdue = due > 0 && dueDate !== null && dueDate < today();
  return (
    <Status tone={state === "paid" ? "success" : isOverdue ? "error" : "warning"}>
      {isOverdue ? t.overdueToo(t.paidStates[state]) : t.paidStates[state]}
    </Status>
  );
}
