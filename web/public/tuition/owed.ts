import { useReading } from "#shared/call/use-reading.ts";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { type Line, toLines } from "#public/tuition/choice.ts";
import { ask } from "#public/tuition/student.ts";
import { makeKey } from "#shared/call/exchange.ts";
import { openKept } from "#public/tuition/kept.ts";

export interface Owed {
  readonly payables: DataOf<typeof tuitionPayment.listPayableItems>;
  readonly limits: DataOf<typeof tuitionPayment.listOwnPayLimits>;
  readonly lines: readonly Line[];
}

export const useOwed = () => useReading("owed", readOwed);

async function readOwed(signal: AbortSignal): Promise<Owed> {
  const [payables, limits] = await Promise.all([
    ask(tuitionPayment.listPayableItems, {}, { signal }),
    ask(tuitionPayment.listOwnPayLimits, {}, { signal }),
  ]);
  return { payables, limits, lines: toLines(payables, limits) };
}

export interface Chosen {
  readonly lines: readonly Line[];
  readonly key: string;
}

const kept = openKept<Chosen>("choice");

export const currentChoice = (): Chosen | undefined => kept.get();

export const forgetChoice = (): void => kept.forget();

export function keepChoice(lines: readonly Line[]): Chosen {
  const chosen = { lines, key: makeKey() };
  kept.set(chosen);
  return chosen;
}
