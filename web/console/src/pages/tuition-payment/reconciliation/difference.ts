import type { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { DataOf, RecordOf } from "#shared/call/operation.ts";

export type Difference = RecordOf<typeof tuitionPayment.listReconciliation>;
export type Outcome = DataOf<typeof tuitionPayment.runReconciliation>;

export const types = ["long", "short", "mismatch"] as const satisfies readonly Difference["type"][];
