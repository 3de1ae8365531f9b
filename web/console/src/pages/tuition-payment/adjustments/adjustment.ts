import type { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { formatFen, toFen } from "#shared/money.ts";
import type { AdjustmentTexts } from "#console/pages/tuition-payment/adjustments/texts.ts";

export type Adjustment = RecordOf<typeof tuitionPayment.listAdjustments>;

export const adjustmentKinds = [
  "waiver",
  "loan",
  "cash",
  "transfer",
  "decision",
  "deferral",
] as const satisfies readonly Adjustment["kind"][];

export const tellAmount = ({ amount, until }: Adjustment, t: AdjustmentTexts): string =>
  amount === null ? t.untilDate(until ?? "") : formatFen(toFen(amount));
