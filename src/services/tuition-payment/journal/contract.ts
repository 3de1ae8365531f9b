import * as z from "zod";
import { workbookMime } from "#platform/contract/endpoint.ts";
import { dateTime, day, patternText, recordId } from "#platform/contract/wire.ts";
import { adjustmentKinds } from "#services/tuition-payment/adjustment-contract.ts";
import { ownOfAdministrators, post } from "#services/tuition-payment/payable-contract.ts";

export const journalKinds = ["payment", "refund", "adjustment", "undone"] as const;

const channel = z
  .string()
  .describe("Payment channel: a gateway, `hand` (refunded outside a gateway), or the kind of an adjustment");

const line = z.object({
  time: dateTime(),
  kind: z.enum(journalKinds),
  channel,
  amount: z.number().describe("In yuan; negative for refunds and undone adjustments"),
  orderNo: z.string().nullable(),
  tradeNo: z.string().nullable().describe("Transaction number of the payment or refund at the gateway"),
  refundNo: z.string().nullable(),
  receiptNo: z.string().nullable().describe("null until the receipt is requested"),
  adjustmentId: recordId().nullable(),
  payableId: recordId().nullable().describe("Id of the adjusted payable; null for payments and refunds"),
  studentNo: z.string().nullable(),
  studentName: z.string().nullable(),
  evidence: z.string().nullable().describe("Only for adjustments: voucher, contract or approval"),
  by: z.string().nullable().describe("Only for adjustments: the administrator who made or undid the adjustment"),
});

const filter = z.object({
  startTime: dateTime().optional(),
  endTime: dateTime().optional(),
  kind: z.enum(journalKinds).optional(),
  channel: z.enum(["ccb", "abc", "wechat", "alipay", "simulated", "hand", ...adjustmentKinds]).optional(),
});
export type JournalFilter = z.output<typeof filter>;

export type JournalLine = z.output<typeof line>;

export const journalEndpoints = {
  readJournal: ownOfAdministrators.get("/journal", {
    summary: "List payments, refunds and adjustments, newest first, by cursor",
    query: filter.extend({
      cursor: patternText(/^\d{1,17}-\d-\d{1,18}$/, 40, {
        zh: "应为上一页返回的 nextCursor",
        en: "must be the nextCursor of the previous page",
      }).optional(),
      limit: z.int().min(1).max(1000).default(100),
    }),
    data: z.object({
      list: z.array(line),
      nextCursor: z.string().nullable().describe("null: this is the last page"),
    }),
  }),
  exportJournal: ownOfAdministrators.get("/journal/export", {
    summary: "Export the journal as a workbook, newest first",
    query: filter,
    answer: { as: "file", mime: workbookMime, streamed: true },
  }),
  exportJournalAsCsv: ownOfAdministrators.get("/journal/csv", {
    summary: "Export the journal as CSV in UTF-8, newest first",
    query: filter,
    answer: { as: "file", mime: "text/csv", streamed: true },
  }),
  readBalances: ownOfAdministrators.get("/journal/balances", {
    summary: "Read the sums and the balance of the journal by day and channel, newest first",
    query: z.object({
      startDate: day().optional().describe("Default: 30 days before `endDate`"),
      endDate: day().optional().describe("Default: today"),
    }),
    data: z.array(
      z.object({
        date: z.string(),
        channel,
        received: z.number().min(0).describe("Paid or adjusted on the day, in yuan"),
        returned: z.number().min(0).describe("Refunded or undone on the day, in yuan"),
        balance: z.number().describe("Balance at the end of the day: everything received minus everything returned"),
      }),
    ),
  }),
  checkBooks: ownOfAdministrators.get("/journal/books", {
    summary: "Check whether ledger, orders, refunds, adjustments and payables agree",
    data: z.array(
      z.object({
        what: z.string(),
        expected: z.number(),
        found: z.number().describe("Actual value; like `expected`, an amount in fen or a count"),
      }),
    ),
  }),
  settleBooks: post("/journal/books/settle", {
    summary:
      "Correct the paid state of payables according to their orders and adjustments; data is the number of corrected payables",
    access: { who: "super" },
    group: "money",
    own: true,
  }),
};
