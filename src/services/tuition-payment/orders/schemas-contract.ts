import * as z from "zod";
import { dateTime, patternText, recordId, requiredText } from "#platform/contract/wire.ts";
import { payable } from "#services/tuition-payment/payable-contract.ts";

// What an order is on the wire. Amounts are yuan with at most two decimals.

export const orderStatuses = ["created", "paying", "paid", "refunding", "refunded", "closed"] as const;
export const gateway = () => z.enum(["ccb", "abc", "wechat", "simulated"]);
export const gatewayKind = () => z.enum(["form", "redirect", "jsapi"]);

export const orderNo = () =>
  patternText(/^[0-9A-Za-z]{6,30}$/, 30, {
    zh: "应为6到30位字母或数字",
    en: "must have 6 to 30 letters and digits",
  }).meta({
    examples: ["20261120093000123456789012"],
  });

const amount = () => z.number().min(0);
const item = z.object({ name: z.string(), amount: amount() });

export const refund = z.object({
  refundNo: z.string(),
  amount: amount(),
  items: z.array(z.object({ payableId: recordId(), ...item.shape })),
  reason: z.string(),
  status: z.enum(["running", "done"]),
  time: dateTime().describe("When it was asked for"),
});

export const order = z.object({
  orderNo: z.string().describe("The number at the gateway too"),
  studentNo: z.string().nullable().describe("null of a new student without one"),
  studentName: z.string(),
  grade: z.string(),
  amount: amount().describe("In yuan"),
  status: z.enum(orderStatuses),
  gateway: gateway().nullable().describe("null before pay"),
  tradeNo: z.string().nullable().describe("The gateway's own number"),
  payables: z.array(z.object({ payableId: recordId(), years: z.string(), items: z.array(item) })),
  refundedAmount: amount().describe("What the gateway has given back, in yuan"),
  refunds: z.array(refund),
  createTime: dateTime(),
  expireTime: dateTime(),
  payTime: dateTime().nullable(),
  closeTime: dateTime().nullable(),
  refundTime: dateTime().nullable().describe("When the last refund was done"),
});

export const orderEvent = z.object({
  time: dateTime(),
  from: z.enum(orderStatuses).nullable(),
  to: z.enum(orderStatuses),
  by: z
    .string()
    .describe("student, notice, query, poll, limit, gateway, twice (paid by another order too), or the administrator"),
});

export const payableWithItems = payable.extend({
  items: z.array(z.object({ ...item.shape, state: z.enum(["unpaid", "held", "paid"]) })),
});

export const receipt = order.extend({
  receiptNo: z.string(),
  amountInWords: z.string().describe("Of what is paid and not refunded, in Chinese numerals"),
});

export const payAnswer = z.object({
  orderNo: z.string(),
  gateway: gateway(),
  kind: gatewayKind(),
  form: z
    .object({ action: z.string(), fields: z.record(z.string(), z.string()) })
    .optional()
    .describe("kind form: to be posted by the browser"),
  url: z.string().optional().describe("kind redirect: to be gone to"),
  jsapi: z
    .object({
      appId: z.string(),
      timeStamp: z.string(),
      nonceStr: z.string(),
      package: z.string(),
      signType: z.string(),
      paySign: z.string(),
    })
    .optional()
    .describe("kind jsapi: what the messaging platform's page is given"),
});

/** What a student says to pay for. */
export const createBody = z.object({
  payables: z
    .array(
      z.object({
        payableId: recordId(),
        items: z.array(requiredText(64)).max(50).optional().describe("Names of items; left out: all"),
      }),
    )
    .max(20),
});

export const orderHistory = z.object({
  receivedAmount: amount()
    .nullable()
    .describe(
      "What came and waits for a person, in yuan: another amount than the order's, or any after a decision; null: nothing",
    ),
  refunds: z
    .array(
      z.object({
        refundNo: z.string(),
        doneTime: dateTime().nullable(),
        tradeNo: z.string().nullable().describe("The gateway's own number of it"),
        failure: z.string().nullable().describe("Why the gateway has not done it, the last time that it was asked"),
      }),
    )
    .describe("What the gateway said about refunds"),
  calls: z
    .array(
      z.object({
        time: dateTime(),
        endTime: dateTime().nullable().describe("null: without an answer so far, or the process died meanwhile"),
        gateway: gateway(),
        call: z.enum(["pay", "query", "close", "refund", "queryRefund"]),
        refundNo: z.string().nullable(),
        outcome: z.string().nullable().describe("What the gateway said in a word, or how the call failed"),
      }),
    )
    .describe("What the gateway was asked"),
  notices: z
    .array(
      z.object({
        time: dateTime(),
        gateway: gateway(),
        times: z.int().min(1).describe("How often it came"),
        outcome: z.string(),
        message: z.string().describe("As it came, at most 4000 characters of it"),
      }),
    )
    .describe("What the gateway sent, its signature verified"),
  ledger: z
    .array(
      z.object({
        time: dateTime(),
        posting: z.int().min(1).describe("Lines of one posting add up to zero"),
        what: z.enum(["payment", "refundDue", "refund"]),
        account: z.enum(["gateway", "tuition", "surplus"]),
        amount: z.number().describe("In yuan, with its sign"),
      }),
    )
    .describe("What the books say"),
});

export const orderTotals = z.object({
  grades: z.array(
    z.object({
      grade: z.string(),
      years: z.string(),
      payables: z.int().min(0),
      paidPayables: z.int().min(0),
      dueAmount: amount().describe("What all payables ask for"),
      orderAmount: amount().describe("Of it, paid by orders and not refunded"),
      decidedAmount: amount().describe("Of it, paid by an administrator's decision"),
    }),
  ),
});

export const orderFigures = z.object({
  openOrders: z.int().min(0).describe("Created or being paid"),
  paidToday: z.int().min(0),
  amountToday: amount().describe("Paid today, in yuan"),
  runningRefunds: z.int().min(0),
  unhandledRows: z.int().min(0).describe("Differences with statements that nobody has decided about"),
  mismatchedOrders: z.int().min(0).describe("For which money came that waits for a person"),
});

export const reconciliationTypes = ["long", "short", "mismatch"] as const;

export const reconciled = z.object({
  date: z.string(),
  gateway: gateway(),
  matched: z.int().min(0),
  long: z.int().min(0),
  short: z.int().min(0),
  mismatch: z.int().min(0),
});

export const reconciliationRow = z.object({
  id: recordId(),
  date: z.string(),
  gateway: gateway(),
  orderNo: z.string(),
  tradeNo: z.string().nullable(),
  ourAmount: z.number().nullable().describe("In yuan; below zero for a refund; null: not with us"),
  theirAmount: z.number().nullable().describe("In yuan; below zero for a refund; null: not in the statement"),
  type: z.enum(reconciliationTypes).describe("long: only theirs, short: only ours, mismatch: the amounts differ"),
  handled: z.boolean(),
  note: z.string().nullable(),
});

export const simulatedNotice = z.object({
  orderNo: z.string(),
  tradeNo: z.string(),
  amount: z.number(),
  result: z.enum(["success", "fail"]),
  sign: z.string(),
});
