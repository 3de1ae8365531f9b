import * as z from "zod";
import { workbookMime, under } from "#platform/contract/endpoint.ts";
import {
  dateTime,
  freeText,
  listQuery,
  pageOf,
  patternText,
  recordId,
  requiredText,
  yuan,
} from "#platform/contract/wire.ts";
import { ownOfAdministrators, prefix } from "#services/tuition-payment/payable-contract.ts";
import { asking, gateway, ofOrder, order, orderNo } from "./contract.ts";

const ofMoney = { access: { who: "super" }, own: true, group: "money" } as const;
const bySuper = under(prefix, ofMoney);
const bySuperAgain = under(prefix, { ...ofMoney, secondFactor: "again" });

const reason = () => requiredText(200);
const evidence = () => requiredText(200).describe("Voucher, contract or approval");
const ofRefund = ofOrder.extend({ refundNo: orderNo() });
const problems = ["orderNotFound", "notFound", "notAllowedNow"] as const;

export const refundEndpoints = {
  refundAgain: bySuperAgain.post("/order/refund/:orderNo/again/:refundNo", {
    summary: "Retry a failed refund with a new refund number",
    params: ofRefund,
    data: order,
    problems,
  }),
  refundOutside: bySuperAgain.post("/order/refund/:orderNo/outside/:refundNo", {
    summary: "Record that a failed refund was returned outside the gateway",
    params: ofRefund,
    body: z.object({ evidence: evidence() }),
    data: order,
    problems,
  }),
  approveRefund: bySuperAgain.post("/order/refund/:orderNo/approve/:refundNo", {
    summary: "Approve a refund requested by another administrator",
    params: ofRefund,
    data: order,
    problems: [...problems, ...asking],
  }),
  refuseRefund: bySuper.post("/order/refund/:orderNo/refuse/:refundNo", {
    summary: "Reject a refund requested by another administrator; its items remain paid",
    params: ofRefund,
    body: z.object({ reason: reason() }),
    data: order,
    problems: [...problems, "forbidden"],
  }),
  askOrder: ownOfAdministrators.post("/order/ask/:orderNo", {
    summary: "Ask the gateway for an order's state",
    params: ofOrder,
    data: order,
    problems: ["orderNotFound", "otherGateway", ...asking],
  }),
};

export const mostRefunds = 5000;

export const manyRefundEndpoints = {
  refundMany: bySuperAgain.post("/order/refundMany", {
    summary: "Refund many orders, or items of them, all or nothing; data is the number of refunds",
    body: z.object({
      rows: z
        .array(
          z.object({
            orderNo: orderNo(),
            items: z
              .array(z.object({ payableId: recordId(), name: requiredText(64) }))
              .max(1000)
              .optional()
              .describe("Items to refund; omitted or empty: all paid items that are not refunded"),
            amount: yuan().describe(
              "Amount to refund, as confirmed by the administrator; must equal the sum of the items",
            ),
            reason: reason(),
          }),
        )
        .max(mostRefunds),
      dryRun: z.boolean().optional().describe("true: only check, without refunding"),
    }),
    bodyLimitBytes: 2 * 1024 * 1024,
    idempotent: true,
    problems: ["idMissing", "importFailed"],
  }),
  importRefunds: bySuperAgain.post("/order/refundMany/import", {
    summary: "Refund many orders from a workbook, all or nothing",
    upload: { limit: "workbook" },
    fields: z.object({ dryRun: z.boolean().optional().describe("true: only check, without refunding") }),
    idempotent: true,
    problems: ["importFailed"],
  }),
  readRefundTemplate: ownOfAdministrators.get("/order/refundMany/template", {
    summary: "Download the template workbook for many refunds",
    answer: { as: "file", mime: workbookMime },
  }),
};

export const deskKinds = ["long", "short", "mismatch", "late", "otherAmount", "refundFailed", "refundAsked"] as const;
export const deskActions = ["ask", "settle", "refund", "again", "outside", "note"] as const;

const deskId = () =>
  patternText(/^[dor]\d{1,15}$/, 16, { zh: "应为待处理款项的编号", en: "must be the id of a payment exception" });

export const deskRow = z.object({
  id: deskId().describe("d (difference from a statement), o (order) or r (refund), followed by its number"),
  kind: z
    .enum(deskKinds)
    .describe(
      "long: only in a statement; short: only in our records; mismatch: the amounts in a statement and in our records differ; late: money received after a decision; otherAmount: a received amount that differs from the order's; refundFailed: a refund that failed; refundAsked: a refund that awaits approval by a second person",
    ),
  orderNo: z.string(),
  refundNo: z.string().nullable(),
  gateway: gateway(),
  amount: z.number().nullable().describe("Amount in our records in yuan; negative for a refund in a statement"),
  theirAmount: z.number().nullable().describe("Amount reported by the gateway in yuan"),
  time: dateTime().describe("Time at which the exception arose"),
  actions: z.array(z.enum(deskActions)).describe("Available actions; empty once the exception is handled"),
  handled: z.boolean(),
  note: z.string().nullable(),
  by: z
    .string()
    .nullable()
    .describe("Administrator who handled the exception; null: not handled, or handled by the gateway"),
});

const deskFields = ["time", "id"] as const;
export type DeskField = (typeof deskFields)[number];

export const deskEndpoints = {
  listDesk: ownOfAdministrators.get("/desk/list", {
    summary: "List payment exceptions for administrators to handle, newest first",
    query: z.object({
      kind: z.enum(deskKinds).optional(),
      handled: z.boolean().optional(),
      ...listQuery("curPage", deskFields),
    }),
    data: pageOf(deskRow),
  }),
  actAtDesk: bySuperAgain.post("/desk/:id/:action", {
    summary: "Perform one of the `actions` of a row",
    params: z.object({
      id: deskId(),
      action: patternText(/^[A-Za-z]{1,20}$/, 20, { zh: "应为操作名称", en: "must be the name of an action" }),
    }),
    body: z
      .object({
        reason: freeText(200).optional().describe("Reason for the actions `settle` and `refund`"),
        evidence: freeText(200).optional().describe("Required for the action `outside`"),
        note: freeText(200).optional().describe("Required for the action `note`"),
      })
      .optional(),
    data: deskRow,
    problems: ["notFound", "notAllowedNow", "orderNotFound", ...asking],
  }),
};
