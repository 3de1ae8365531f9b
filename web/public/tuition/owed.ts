import { useReading } from "#shared/call/use-reading.ts";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { type Line, toLines } from "./choice.ts";
import { ask } from "./student.ts";

export interface Owed {
  readonly payables: DataOf<typeof tuitionPayment.listPayableItems>;
  readonly limits: DataOf<typeof tuitionPayment.listOwnPayLimits>;
  readonly lines: readonly Line[];
}

/** What the student is asked to pay, item by item, and whether it may be paid. */
export const useOwed = () => useReading("owed", readOwed);

async function readOwed(signal: AbortSignal): Promise<Owed> {
  const [payables, limits] = await Promise.all([
    ask(tuitionPayment.listPayableItems, {}, { signal }),
    ask(tuitionPayment.listOwnPayLimits, {}, { signal }),
  ]);
  return { payables, limits, lines: toLines(payables, limits) };
}
