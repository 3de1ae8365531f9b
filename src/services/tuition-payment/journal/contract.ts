import * as z from "zod";
import { endpoint, workbookMime } from "#platform/contract/endpoint.ts";
import { dateTime, day, decimal, patternText, recordId } from "#platform/contract/wire.ts";
import { adjustmentKinds } from "#services/tuition-payment/adjustment-contract.ts";
import { get, ownOfAdministrators, post } from "#services/tuition-payment/payable-contract.ts";

export const journalKinds = ["payment", "refund", "adjustment", "undone"] as const;

const channel = z
  .string()
  .describe("Channel of the money: a gateway, `hand` (returned outside a gateway), or an adjustment's kind");

const line = z.object({
  time: dateTime(),
  kind: z.enum(journalKinds),
  channel,
  amount: z.number().describe("In yuan; negative for refunds and undone adjustments"),
  orderNo: z.string().nullable(),
  tradeNo: z.string().nullable().describe("The gateway's number of the payment or refund"),
  refundNo: z.string().nullable(),
  receiptNo: z.string().nullable().describe("null until requested"),
  adjustmentId: recordId().nullable(),
  payableId: recordId().nullable().describe("For an adjustment"),
  studentNo: z.string().nullable(),
  studentName: z.string().nullable(),
  evidence: z.string().nullable().describe("For an adjustment: voucher, contract or approval"),
  by: z.string().nullable().describe("For an adjustment: the administrator"),
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
  readJournal: endpoint({
    ...get("/journal"),
    summary: "List payments, refunds and adjustments, newest first, by cursor",
    ...ownOfAdministrators,
    query: filter.extend({
      cursor: patternText(/^\d{1,17}-\d-\d{1,18}$/, 40, {
        zh: "应为上一页返回的 nextCursor",
        en: "must be the previous page's nextCursor",
      }).optional(),
      limit: z.int().min(1).max(1000).default(100),
    }),
    answer: {
      as: "envelope",
      data: z.object({ list: z.array(line), nextCursor: z.string().nullable().describe("null: no further page") }),
    },
  }),
  exportJournal: endpoint({
    ...get("/journal/export"),
    summary: "Export the journal as a workbook, newest first",
    ...ownOfAdministrators,
    query: filter,
    answer: { as: "file", mime: workbookMime, streamed: true },
  }),
  exportJournalAsCsv: endpoint({
    ...get("/journal/csv"),
    summary: "Export the journal as CSV in UTF-8, newest first",
    ...ownOfAdministrators,
    query: filter,
    answer: { as: "file", mime: "text/csv", streamed: true },
  }),
  readBalances: endpoint({
    ...get("/journal/balances"),
    summary: "Sums and balance of the journal by day and channel, newest first",
    ...ownOfAdministrators,
    query: z.object({
      startDate: day().optional().describe("Default: 30 days before the end"),
      endDate: day().optional().describe("Default: today"),
    }),
    answer: {
      as: "envelope",
      data: z.array(
        z.object({
          date: z.string(),
          channel,
          received: z.number().min(0).describe("Paid or adjusted on the day, in yuan"),
          returned: z.number().min(0).describe("Refunded or undone on the day, in yuan"),
          balance: z.number().describe("Balance at the day's end: all received less all returned"),
        }),
      ),
    },
  }),
  checkBooks: endpoint({
    ...get("/journal/books"),
    summary: "Check ledger, orders, refunds, adjustments and payables against each other",
    ...ownOfAdministrators,
    answer: {
      as: "envelope",
      data: z.array(
        z.object({
          what: z.string(),
          expected: z.number(),
          found: z.number().describe("In fen, or a count; expected or actual"),
        }),
      ),
    },
  }),
  settleBooks: endpoint({
    ...post("/journal/books/settle"),
    summary: "Correct the paid state of payables by their orders and adjustments; data is the number corrected",
    access: { who: "super" },
    group: "money",
    own: true,
    answer: { as: "envelope", data: decimal() },
  }),
};
