import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { useBatch } from "#console/blocks/use-batch.ts";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { call } from "#console/call/call.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import type { Payable } from "#console/pages/tuition-payment/payable.ts";
import { texts } from "#console/pages/tuition-payment/texts.ts";
import { formatFen, toFen } from "#shared/money.ts";

interface PayableActions {
  /** Asks, naming the student and the amount, then records that it is paid, or takes that back. */
  readonly decide: (payable: Payable, pay: boolean) => void;
  readonly decideAll: (payables: readonly Payable[], onDone: () => void) => void;
  /** Asks, then deletes. */
  readonly remove: (payable: Payable, onDone: () => void) => void;
  readonly removeAll: (payables: readonly Payable[], onDone: () => void) => void;
}

const sumOf = (payables: readonly Payable[]): string =>
  formatFen(payables.reduce((sum, { realPayAmount }) => sum + toFen(realPayAmount), 0));

/** What can be done with payables, one or many, each after a question. */
export function usePayableActions(): PayableActions {
  const t = useTexts(texts);
  const confirm = useConfirm();
  const batch = useBatch("tuition-payment");
  const record = useChange(tuitionPayment.recordPayment, { done: t.recorded });
  const takeBack = useChange(tuitionPayment.recordPayment, { done: t.takenBack });
  const removeOne = useChange(tuitionPayment.deletePayable, { done: t.removed });
  const describe = (payable: Payable) => t.describe({ ...payable, amount: sumOf([payable]) });
  const describeMany = (payables: readonly Payable[], about: string) =>
    `${t.listNames([...new Set(payables.map(({ studentName }) => studentName))])}${about}`;
  return {
    decide: (payable, pay) => {
      const params = { id: payable.id, pay: pay ? "true" : "false" } as const;
      confirm({
        title: pay ? t.recordTitle(describe(payable)) : t.takeBackTitle(describe(payable)),
        needs: tuitionPayment.recordPayment,
        about: pay ? t.recordAbout : t.takeBackAbout,
        verb: pay ? t.record : t.takeBack,
        danger: !pay,
        work: () => (pay ? record : takeBack).mutateAsync({ params }),
      });
    },
    decideAll: (payables, onDone) =>
      confirm({
        title: t.recordManyTitle(payables.length, sumOf(payables)),
        needs: tuitionPayment.recordPayment,
        about: describeMany(payables, t.recordAbout),
        verb: t.record,
        danger: false,
        work: async () => {
          await batch(payables, ({ id }) => call(tuitionPayment.recordPayment, { params: { id, pay: "true" } }));
          onDone();
        },
      }),
    remove: (payable, onDone) =>
      confirm({
        title: t.removeTitle(describe(payable)),
        needs: tuitionPayment.deletePayable,
        work: async () => {
          await removeOne.mutateAsync({ params: { id: payable.id } });
          onDone();
        },
      }),
    removeAll: (payables, onDone) =>
      confirm({
        title: t.removeManyTitle(payables.length, sumOf(payables)),
        needs: tuitionPayment.deletePayable,
        about: describeMany(payables, t.removeManyAbout),
        work: async () => {
          await batch(payables, ({ id }) => call(tuitionPayment.deletePayable, { params: { id } }));
          onDone();
        },
      }),
  };
}
