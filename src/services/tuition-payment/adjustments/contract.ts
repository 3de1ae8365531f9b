import * as z from "zod";
import { workbookMime, under } from "#platform/contract/endpoint.ts";
import { dateTime, day, freeText, listQuery, pageOf, recordId, requiredText, yuan } from "#platform/contract/wire.ts";
import { adjustment, adjustmentKinds } from "#services/tuition-payment/adjustment-contract.ts";
import { prefix, scopedOfAdministrators } from "#services/tuition-payment/payable-contract.ts";

const adjustmentFields = ["id", "payableId", "kind", "time"] as const;
export type AdjustmentField = (typeof adjustmentFields)[number];

const filter = z.object({
  payableId: recordId().optional(),
  kind: z.enum(adjustmentKinds).optional(),
  startTime: dateTime().optional().describe("Only adjustments made at or after this time"),
  endTime: dateTime().optional().describe("Only adjustments made at or before this time"),
});
export type AdjustmentFilter = z.output<typeof filter>;

const bySuper = under(prefix, { access: { who: "super" }, group: "money", own: true, scoped: true });
const id = z.object({ id: recordId() });

export const adjustmentEndpoints = {
  adjustPayable: bySuper.post("/payableinfo/adjust/:id", {
    summary:
      "Adjust a payable without a payment by a gateway: waive it, record another payment, decide that it is paid, or defer it",
    params: id,
    body: z.object({
      kind: z.enum(adjustmentKinds),
      items: z
        .array(
          z.object({
            name: requiredText(64),
            amount: yuan().optional().describe("Default: the full amount due of the item"),
          }),
        )
        .min(1)
        .max(50)
        .optional()
        .describe("Default: all amounts due; not allowed for a deferral"),
      until: day().optional().describe("New due date, today or later; required for a deferral, otherwise not allowed"),
      evidence: requiredText(200).describe("Voucher, contract or approval"),
      reason: freeText(200).optional(),
    }),
    data: adjustment,
    idempotent: true,
    problems: ["notFound", "notAllowedNow", "itemNotFound", "paymentItemExists"],
  }),
  undoAdjustment: bySuper.put("/payableinfo/adjust/:id/undo", {
    summary: "Undo an adjustment",
    params: id,
    body: z.object({ reason: requiredText(200) }),
    problems: ["notFound", "notAllowedNow"],
  }),
  listAdjustments: scopedOfAdministrators.get("/payableinfo/adjustments", {
    summary: "List adjustments, newest first",
    query: filter.extend(listQuery("curPage", adjustmentFields)),
    data: pageOf(adjustment),
  }),
  exportAdjustments: scopedOfAdministrators.get("/payableinfo/adjustments/export", {
    summary: "Export adjustments as a workbook",
    query: filter,
    answer: { as: "file", mime: workbookMime, streamed: true },
  }),
};
