import * as z from "zod";
import { endpoint, workbookMime } from "#platform/contract/endpoint.ts";
import {
  dateTime,
  day,
  decimal,
  freeText,
  listQuery,
  pageOf,
  recordId,
  requiredText,
  yuan,
} from "#platform/contract/wire.ts";
import { adjustment, adjustmentKinds } from "#services/tuition-payment/adjustment-contract.ts";
import { get, post, put, scopedOfAdministrators } from "#services/tuition-payment/payable-contract.ts";

const adjustmentFields = ["id", "payableId", "kind", "time"] as const;
export type AdjustmentField = (typeof adjustmentFields)[number];

const filter = z.object({
  payableId: recordId().optional(),
  kind: z.enum(adjustmentKinds).optional(),
  startTime: dateTime().optional().describe("Made at or after"),
  endTime: dateTime().optional().describe("Made at or before"),
});
export type AdjustmentFilter = z.output<typeof filter>;

const bySuper = { access: { who: "super" }, group: "money", own: true, scoped: true } as const;
const id = z.object({ id: recordId() });

export const adjustmentEndpoints = {
  adjustPayable: endpoint({
    ...post("/payableinfo/adjust/:id"),
    summary: "Adjust a payable without a gateway: waived, paid otherwise, decided, or deferred",
    ...bySuper,
    params: id,
    body: z.object({
      kind: z.enum(adjustmentKinds),
      items: z
        .array(
          z.object({ name: requiredText(64), amount: yuan().optional().describe("Default: all that is due of it") }),
        )
        .min(1)
        .max(50)
        .optional()
        .describe("Default: all that is due; a deferral has none"),
      until: day().optional().describe("Required for a deferral, and only there: the new due date, today or later"),
      evidence: requiredText(200).describe("Voucher, contract or approval"),
      reason: freeText(200).optional(),
    }),
    answer: { as: "envelope", data: adjustment },
    idempotent: true,
    problems: ["notFound", "notAllowedNow", "itemNotFound", "paymentItemExists"],
  }),
  undoAdjustment: endpoint({
    ...put("/payableinfo/adjust/:id/undo"),
    summary: "Undo an adjustment",
    ...bySuper,
    params: id,
    body: z.object({ reason: requiredText(200) }),
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound", "notAllowedNow"],
  }),
  listAdjustments: endpoint({
    ...get("/payableinfo/adjustments"),
    summary: "List adjustments, newest first",
    ...scopedOfAdministrators,
    query: filter.extend(listQuery("curPage", adjustmentFields)),
    answer: { as: "envelope", data: pageOf(adjustment) },
  }),
  exportAdjustments: endpoint({
    ...get("/payableinfo/adjustments/export"),
    summary: "Export adjustments as a workbook",
    ...scopedOfAdministrators,
    query: filter,
    answer: { as: "file", mime: workbookMime, streamed: true },
  }),
};
