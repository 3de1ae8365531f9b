import * as z from "zod";
import { endpoint, workbookMime } from "#platform/contract/endpoint.ts";
import { dateTime, day, decimal, patternText, recordId } from "#platform/contract/wire.ts";
import { adjustmentKinds } from "#services/tuition-payment/adjustment-contract.ts";
import { get, ownOfAdministrators, post } from "#services/tuition-payment/payable-contract.ts";

export const journalKinds = ["payment", "refund", "adjustment", "undone"] as const;

const channel = z
  .string()
  .describe("By which money moved: a gateway, `hand` (given back outside of one), or an adjustment's kind");

const line = z.object({
  time: dateTime(),
  kind: z.enum(journalKinds),
  channel,
  amount: z.number().describe("In yuan; below zero for what was given back or undone"),
  orderNo: z.string().nullable(),
  tradeNo: z.string().nullable().describe("The gateway's own number, of the payment or of the refund"),
  refundNo: z.string().nullable(),
  receiptNo: z.string().nullable().describe("null while none was asked for"),
  adjustmentId: recordId().nullable(),
  payableId: recordId().nullable().describe("Of an adjustment"),
  studentNo: z.string().nullable(),
  studentName: z.string().nullable(),
  evidence: z.string().nullable().describe("Of an adjustment: voucher, contract or approval"),
  by: z.string().nullable().describe("Of an adjustment: the administrator"),
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
    summary: "What was paid, refunded and adjusted, newest first, a page after the cursor of the one before",
    ...ownOfAdministrators,
    query: filter.extend({
      cursor: patternText(/^\d{1,17}-\d-\d{1,18}$/, 40, {
        zh: "应为上一页返回的 nextCursor",
        en: "must be the nextCursor of the page before",
      }).optional(),
      limit: z.int().min(1).max(1000).default(100),
    }),
    answer: {
      as: "envelope",
      data: z.object({ list: z.array(line), nextCursor: z.string().nullable().describe("null: that was all") }),
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
    summary: "The journal's sums and its balance, by day and channel, newest first",
    ...ownOfAdministrators,
    query: z.object({
      startDate: day().optional().describe("Left out: 30 days before the end"),
      endDate: day().optional().describe("Left out: today"),
    }),
    answer: {
      as: "envelope",
      data: z.array(
        z.object({
          date: z.string(),
          channel,
          received: z.number().min(0).describe("Paid or adjusted on the day, in yuan"),
          returned: z.number().min(0).describe("Refunded or undone on the day, in yuan"),
          balance: z.number().describe("All that was received until the day's end, less all that was returned"),
        }),
      ),
    },
  }),
  checkBooks: endpoint({
    ...get("/journal/books"),
    summary: "Hold ledger, orders, refunds, adjustments and payables against one another",
    ...ownOfAdministrators,
    answer: {
      as: "envelope",
      data: z.array(
        z.object({
          what: z.string(),
          expected: z.number(),
          found: z.number().describe("In fen, or a count; as expected, or wrong"),
        }),
      ),
    },
  }),
  settleBooks: endpoint({
    ...post("/journal/books/settle"),
    summary: "Set right which payables are paid, where orders and adjustments say otherwise; data is how many were not",
    access: { who: "super" },
    group: "money",
    own: true,
    answer: { as: "envelope", data: decimal() },
  }),
};
