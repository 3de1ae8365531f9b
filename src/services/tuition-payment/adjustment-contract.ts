import * as z from "zod";
import { dateTime, recordId } from "#platform/contract/wire.ts";

// Adjustments involve no gateway. A deferral moves the due date, and all other kinds reduce the amount due.

export const adjustmentKinds = ["waiver", "loan", "cash", "transfer", "decision", "deferral"] as const;
export type AdjustmentKind = (typeof adjustmentKinds)[number];

const shown = {
  id: recordId(),
  kind: z.enum(adjustmentKinds),
  amount: z.number().min(0).nullable().describe("Sum of the items in yuan; null for a deferral"),
  items: z.array(z.object({ name: z.string(), amount: z.number().min(0) })),
  until: z.string().nullable().describe("New due date of a deferral, yyyy-MM-dd; null for other adjustments"),
  time: dateTime(),
};

export const ownAdjustment = z.object(shown);

export const adjustment = z.object({
  ...shown,
  payableId: recordId(),
  evidence: z
    .string()
    .describe(
      "Voucher, contract or approval; empty for adjustments by `PUT payableinfo/pay/{id}/true`, which the audit log documents",
    ),
  reason: z.string(),
  by: z.string().describe("Administrator who made the adjustment"),
  undone: z.boolean(),
  undoneBy: z.string().nullable(),
  undoReason: z.string().nullable(),
  undoTime: dateTime().nullable(),
});
