import * as z from "zod";
import { dateTime, recordId } from "#platform/contract/wire.ts";

// An adjustment is a person's decision. A deferral moves the due date; all other kinds change the amount due.

export const adjustmentKinds = ["waiver", "loan", "cash", "transfer", "decision", "deferral"] as const;
export type AdjustmentKind = (typeof adjustmentKinds)[number];

const shown = {
  id: recordId(),
  kind: z.enum(adjustmentKinds),
  amount: z.number().min(0).nullable().describe("In yuan, the sum of the items; null for a deferral"),
  items: z.array(z.object({ name: z.string(), amount: z.number().min(0) })),
  until: z.string().nullable().describe("For a deferral: the new due date, yyyy-MM-dd"),
  time: dateTime(),
};

export const ownAdjustment = z.object(shown);

export const adjustment = z.object({
  ...shown,
  payableId: recordId(),
  evidence: z
    .string()
    .describe("Voucher, contract or approval; empty for PUT pay/{id}/true, whose evidence is the audit line"),
  reason: z.string(),
  by: z.string().describe("The administrator"),
  undone: z.boolean(),
  undoneBy: z.string().nullable(),
  undoReason: z.string().nullable(),
  undoTime: dateTime().nullable(),
});
