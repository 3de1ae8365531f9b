import * as z from "zod";
import { endpoint, workbookMime } from "#platform/contract/endpoint.ts";
import {
  dateTime,
  day,
  decimal,
  freeText,
  listQuery,
  pageOf,
  patternText,
  recordId,
  requiredText,
  yuan,
} from "#platform/contract/wire.ts";
import { students } from "#services/tuition-payment/cards/contract.ts";
import {
  dueItem,
  get,
  ownOfAdministrators,
  ownOfStudents,
  ofStudents,
  ownPayable,
  post,
  put,
  scopedOfAdministrators,
} from "#services/tuition-payment/payable-contract.ts";

// Amounts are yuan with at most two decimals.

export const orderStatuses = ["created", "paying", "paid", "refunding", "refunded", "closed"] as const;
export const refundStatuses = ["asked", "running", "done", "failed", "refused"] as const;
export const gateway = () => z.enum(["ccb", "abc", "wechat", "alipay", "simulated"]);
export const gatewayKind = () => z.enum(["form", "redirect", "jsapi", "h5", "native"]);

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
  status: z
    .enum(refundStatuses)
    .describe("asked: awaits a second person; failed: refused by the gateway; refused: by the second person"),
  time: dateTime().describe("Time of the request"),
});

export const order = z.object({
  orderNo: z.string().describe("Also the number at the gateway"),
  studentNo: z.string().nullable().describe("null for a new student without one"),
  studentName: z.string(),
  grade: z.string(),
  amount: amount().describe("In yuan"),
  status: z.enum(orderStatuses),
  gateway: gateway().nullable().describe("null before pay"),
  tradeNo: z.string().nullable().describe("The gateway's number"),
  payables: z.array(z.object({ payableId: recordId(), years: z.string(), items: z.array(item) })),
  refundedAmount: amount().describe("Refunded by the gateway, in yuan"),
  refunds: z.array(refund),
  createTime: dateTime(),
  expireTime: dateTime(),
  payTime: dateTime().nullable(),
  closeTime: dateTime().nullable(),
  refundTime: dateTime().nullable().describe("Time of the last refund"),
});

export const orderEvent = z.object({
  time: dateTime(),
  from: z.enum(orderStatuses).nullable(),
  to: z.enum(orderStatuses),
  by: z
    .string()
    .describe("student, notice, query, poll, limit, gateway, twice (also paid by another order), or the administrator"),
});

export const payableWithItems = ownPayable.extend({
  items: z.array(dueItem.extend({ state: z.enum(["unpaid", "held", "paid"]) })),
});

export const receipt = order.extend({
  receiptNo: z.string().describe("R, the year and a gapless number, assigned to the first receipt"),
  amountInWords: z.string().describe("Amount paid and not refunded, in Chinese numerals"),
  payee: z.string().optional().describe("The institution's name; omitted if not set"),
  seal: z.string().optional().describe("imageName of the institution's seal; omitted if not set"),
});

export const payAnswer = z.object({
  orderNo: z.string(),
  gateway: gateway(),
  kind: gatewayKind(),
  form: z
    .object({ action: z.string(), fields: z.record(z.string(), z.string()) })
    .optional()
    .describe("kind form: the browser posts it"),
  url: z.string().optional().describe("kinds redirect and h5: address to open; for h5 it is valid for five minutes"),
  qr: z.string().optional().describe("kind native: text of the QR code for the messaging app"),
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
    .describe("kind jsapi: parameters for the messaging platform's page"),
});

export const createBody = z.object({
  payables: z
    .array(
      z.object({
        payableId: recordId(),
        items: z.array(requiredText(64)).max(50).optional().describe("Item names; default: all"),
      }),
    )
    .max(20),
});

export const orderHistory = z.object({
  receivedAmount: amount()
    .nullable()
    .describe("Money that awaits a decision, in yuan: a different amount, or any after a decision; null: none"),
  refunds: z
    .array(
      z.object({
        refundNo: z.string(),
        doneTime: dateTime().nullable(),
        tradeNo: z.string().nullable().describe("The gateway's number of it"),
        failure: z.string().nullable().describe("Why it failed: the gateway's last answer, or the refusal's reason"),
        by: z.string().nullable().describe("The requester; null: automatic"),
        decidedBy: z.string().nullable().describe("The second person, who approved or refused it"),
        endedBy: z.string().nullable().describe("Who decided about it after it failed"),
        evidence: z.string().nullable().describe("How a failed one was returned outside the gateway"),
        secondTrade: z.string().nullable().describe("The refunded duplicate payment, by the gateway's number"),
      }),
    )
    .describe("The gateway's answers about refunds"),
  calls: z
    .array(
      z.object({
        time: dateTime(),
        endTime: dateTime().nullable().describe("null: no response yet, or the process died"),
        gateway: gateway(),
        call: z.enum(["pay", "query", "close", "refund", "queryRefund"]),
        refundNo: z.string().nullable(),
        outcome: z.string().nullable().describe("The gateway's result code, or how the call failed"),
      }),
    )
    .describe("Requests to the gateway"),
  notices: z
    .array(
      z.object({
        time: dateTime(),
        gateway: gateway(),
        times: z.int().min(1).describe("Number of receipts"),
        outcome: z.string(),
        message: z.string().describe("As received, at most 4000 characters"),
      }),
    )
    .describe("Notices of the gateway with verified signatures"),
  ledger: z
    .array(
      z.object({
        time: dateTime(),
        posting: z.int().min(1).describe("Lines of a posting sum to zero"),
        what: z.enum(["payment", "secondPayment", "refundDue", "refundFailed", "refund"]),
        account: z.enum(["gateway", "tuition", "surplus", "hand"]),
        amount: z.number().describe("In yuan, signed"),
      }),
    )
    .describe("Ledger entries"),
});

export const orderTotals = z.object({
  grades: z.array(
    z.object({
      grade: z.string(),
      years: z.string(),
      payables: z.int().min(0),
      paidPayables: z.int().min(0),
      dueAmount: amount().describe("Total charged by payables"),
      orderAmount: amount().describe("Paid by orders and not refunded"),
      decidedAmount: amount().describe("Deducted by adjustments in force"),
    }),
  ),
});

export const orderFigures = z.object({
  openOrders: z.int().min(0).describe("Orders created or being paid"),
  paidToday: z.int().min(0),
  amountToday: amount().describe("Paid today, in yuan"),
  runningRefunds: z.int().min(0),
  unhandledRows: z.int().min(0).describe("Undecided differences with statements"),
  mismatchedOrders: z.int().min(0).describe("Orders whose money awaits a decision"),
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
  ourAmount: z.number().nullable().describe("In yuan, negative for a refund; null: unknown here"),
  theirAmount: z.number().nullable().describe("In yuan, negative for a refund; null: not in the statement"),
  type: z.enum(reconciliationTypes).describe("long: only theirs, short: only ours, mismatch: the amounts differ"),
  handled: z.boolean(),
  note: z.string().nullable(),
});

export const reconciledDay = z.object({
  date: z.string(),
  gateway: gateway(),
  compareTime: dateTime().nullable().describe("Time of the last fetch and comparison; null: unknown"),
  isFetched: z.boolean().describe("Whether the day's statement was fetched"),
  matched: z.int().min(0).nullable().describe("Matching rows; null: unknown"),
  open: z.int().min(0).describe("Undecided differences"),
  booked: z.int().min(0).describe("Payments and refunds of the day in the ledger"),
});

export const simulatedNotice = z.object({
  orderNo: z.string(),
  tradeNo: z.string(),
  amount: z.number(),
  result: z.enum(["success", "fail"]),
  sign: z.string(),
});

const bySuper = { access: { who: "super" }, own: true } as const;
const byAnyone = { access: { who: "anyone" }, own: true } as const;

export const ofOrder = z.object({ orderNo: orderNo() });
const ofGateway = z.object({ gateway: gateway() });

const orderFields = ["createTime", "payTime", "orderNo", "studentNo", "studentName", "amount", "status"] as const;
export type OrderField = (typeof orderFields)[number];
export const orderFilter = z.object({
  status: z.enum(orderStatuses).optional(),
  gateway: gateway().optional(),
  keyword: freeText(255).optional().describe("Substring of the order number, student number or name"),
  mismatched: z.boolean().optional().describe("Whether its money awaits a decision"),
  startTime: dateTime().optional().describe("Created at or after"),
  endTime: dateTime().optional().describe("Created at or before"),
});

export const configuredGateway = z.object({
  gateway: gateway(),
  name: z.string(),
  kind: gatewayKind().describe("The default kind"),
  kinds: z.array(gatewayKind()).describe("Ways to begin a payment"),
  authorize: z
    .object({ url: z.string(), appId: z.string() })
    .optional()
    .describe("kind jsapi: authorisation page of the messaging app, and its application"),
});

const triedGateway = configuredGateway.extend({
  lastPayment: dateTime().nullable().describe("Time of its last payment; null: never"),
  lastRefund: dateTime().nullable().describe("Time of its last refund; null: never"),
  lastStatement: z
    .string()
    .nullable()
    .describe("Last day whose statement contained an order of this server, yyyy-MM-dd; null: never"),
});

export const payWish = z.object({
  gateway: gateway(),
  kind: z
    .enum(["jsapi", "h5", "native"])
    .optional()
    .describe(
      "wechat: jsapi in its app, h5 in a phone's browser, native by a QR code; default: the configured one. Others: h5 on a phone, native on a desktop; default: by User-Agent",
    ),
  redirectUrl: requiredText(1024)
    .optional()
    .describe("Return address of the payer: a path here, or a host of PAY_REDIRECT_HOSTS"),
  openId: requiredText(128).optional().describe("wechat: the payer's open identifier, required for jsapi"),
});

export const asking = [
  "outsideNotConfigured",
  "outsideFailed",
  "ccbQueryFailed",
  "abcQueryFailed",
  "forbidden",
] as const;
export const payProblems = [
  "orderNotFound",
  "otherGateway",
  "notAllowedNow",
  "gradeNotFound",
  "noPaymentParameters",
  ...asking,
] as const;

export const studentOrderEndpoints = {
  listGateways: endpoint({
    ...get("/order/gateways"),
    summary: "List the available gateways",
    ...ownOfStudents,
    answer: { as: "envelope", data: z.array(configuredGateway) },
  }),
  listConfiguredGateways: endpoint({
    ...get("/order/configuredGateways"),
    summary: "List configured gateways and when each last had a payment, a refund and a statement",
    ...ownOfAdministrators,
    answer: { as: "envelope", data: z.array(triedGateway) },
  }),
  listPayableItems: endpoint({
    ...get("/order/payables"),
    summary: "The student's dues, by item",
    ...ownOfStudents,
    answer: { as: "envelope", data: z.array(payableWithItems) },
  }),
  createOrder: endpoint({
    ...post("/order/create"),
    summary: "Order items of one's own payables, reserved until the order is paid or closed",
    ...ownOfStudents,
    body: createBody.extend({
      amount: yuan().describe("Amount shown to the student: must be the items' sum"),
      limitSeconds: z
        .int()
        .min(10)
        .max(7200)
        .optional()
        .describe("Seconds until the order closes; default: PAY_LIMIT_SECONDS"),
    }),
    answer: { as: "envelope", data: order },
    idempotent: true,
    problems: [
      "payablesEmpty",
      "paymentNotFound",
      "itemNotFound",
      "paymentItemExists",
      "itemPaid",
      "notAllowedNow",
      "gradeNotFound",
      "amountWrong",
    ],
  }),
  payOrder: endpoint({
    ...post("/order/pay/:orderNo"),
    summary: "Begin paying an order by a gateway; repeating it for the same gateway gives the same answer",
    ...ownOfStudents,
    params: ofOrder,
    body: payWish,
    answer: { as: "envelope", data: payAnswer },
    problems: payProblems,
  }),
  queryOrder: endpoint({
    ...get("/order/query/:gateway/:orderNo"),
    summary: "Query the gateway whether one's order is paid",
    ...ownOfStudents,
    params: z.object({ gateway: gateway(), orderNo: orderNo() }),
    answer: { as: "envelope", data: order },
    problems: ["orderNotFound", "otherGateway", ...asking],
  }),
  closeOrder: endpoint({
    ...post("/order/close/:orderNo"),
    summary: "Close one's own unpaid order",
    ...ownOfStudents,
    params: ofOrder,
    answer: { as: "envelope", data: order },
    problems: ["orderNotFound", "notAllowedNow", ...asking],
  }),
  listOwnOrders: endpoint({
    ...get("/order/listOfCurrentUser"),
    summary: "List one's own orders, newest first",
    ...ownOfStudents,
    query: z.object(listQuery("curPage", orderFields)),
    answer: { as: "envelope", data: pageOf(order) },
  }),
  findOwnOrder: endpoint({
    ...get("/order/detail/:orderNo"),
    summary: "One of the student's own orders",
    ...ownOfStudents,
    params: ofOrder,
    answer: { as: "envelope", data: order },
    problems: ["orderNotFound"],
  }),
};

export const administratorOrderEndpoints = {
  readReceipt: endpoint({
    ...get("/order/receipt/:orderNo"),
    summary: "The receipt of a paid order, even during a refund",
    access: { who: "administrator", orGuests: students },
    own: true,
    scoped: true,
    params: ofOrder,
    answer: { as: "envelope", data: receipt },
    problems: ["orderNotFound", "notAllowedNow"],
  }),
  listOrders: endpoint({
    ...get("/order/list"),
    summary: "List orders, newest first",
    ...scopedOfAdministrators,
    query: orderFilter.extend(listQuery("curPage", orderFields)),
    answer: { as: "envelope", data: pageOf(order) },
  }),
  exportOrders: endpoint({
    ...get("/order/export"),
    summary: "Export orders as a workbook",
    ...scopedOfAdministrators,
    query: orderFilter,
    answer: { as: "file", mime: workbookMime, streamed: true },
  }),
  findOrder: endpoint({
    ...get("/order/info/:orderNo"),
    summary: "One order with its history",
    ...scopedOfAdministrators,
    params: ofOrder,
    answer: { as: "envelope", data: order.extend({ events: z.array(orderEvent) }) },
    problems: ["orderNotFound"],
  }),
  readOrderHistory: endpoint({
    ...get("/order/history/:orderNo"),
    summary: "An order's gateway requests, notices and ledger entries",
    ...ownOfAdministrators,
    params: ofOrder,
    answer: { as: "envelope", data: orderHistory },
    problems: ["orderNotFound"],
  }),
  readOrderTotals: endpoint({
    ...get("/order/totals"),
    summary: "Due and paid by grade and charging year",
    ...scopedOfAdministrators,
    query: z.object({ grade: freeText(32).optional(), years: freeText(32).optional(), ...ofStudents }),
    answer: { as: "envelope", data: orderTotals },
  }),
  readOrderFigures: endpoint({
    ...get("/order/figures"),
    summary: "Figures of current orders and today's payments",
    ...ownOfAdministrators,
    answer: { as: "envelope", data: orderFigures },
  }),
  refundOrder: endpoint({
    ...post("/order/refund/:orderNo"),
    secondFactor: "again",
    summary: "Refund a paid order's remaining amount, or some of its items",
    group: "money",
    ...bySuper,
    params: ofOrder,
    body: z.object({
      reason: requiredText(200),
      items: z
        .array(z.object({ payableId: recordId(), name: requiredText(64) }))
        .min(1)
        .max(1000)
        .optional()
        .describe("Default: the remaining amount"),
    }),
    answer: { as: "envelope", data: order },
    problems: ["orderNotFound", "notAllowedNow", "itemNotFound", "paymentItemExists"],
  }),
  giveBackOrder: endpoint({
    ...post("/order/giveBack/:orderNo"),
    secondFactor: "again",
    summary: "Refund in full a payment whose amount differs from its order's",
    group: "money",
    ...bySuper,
    params: ofOrder,
    body: z.object({ reason: requiredText(200) }),
    answer: { as: "envelope", data: order },
    problems: ["orderNotFound", "notAllowedNow", ...asking],
  }),
};

const rowFields = ["id", "date", "orderNo"] as const;
export type ReconciliationField = (typeof rowFields)[number];

const returnQuery = z.object({
  orderNo: orderNo().optional(),
  ORDERID: orderNo().optional().describe("Alias called by the first bank's page"),
});
const returned = {
  302: "On to the redirectUrl of the order's pay, with `orderNo` and `status` added",
};

export const gatewayEndpoints = {
  takeNotice: endpoint({
    ...post("/pay/notify/:gateway"),
    summary: "Receive a gateway's signed notice of a payment or refund",
    ...byAnyone,
    params: ofGateway,
    raw: true,
    answer: {
      as: "reply",
      replies: {
        200: "Taken: `SUCCESS` for the banks, `success` for alipay, the envelope for simulated",
        204: "Taken, for wechat",
      },
    },
    bodyLimitBytes: 64 * 1024,
    urgent: true,
    problems: [
      "badFormat",
      "bodyTooLarge",
      "forbidden",
      "orderNotFound",
      "otherGateway",
      "amountWrong",
      "outsideNotConfigured",
      "outsideFailed",
    ],
  }),
  returnFromGateway: endpoint({
    ...get("/pay/return/:gateway"),
    summary: "Return address of a payer's browser; trusts only a query of the gateway",
    ...byAnyone,
    params: ofGateway,
    query: returnQuery,
    answer: { as: "reply", replies: returned },
    problems: ["orderNotFound", "otherGateway"],
  }),
  postFromGateway: endpoint({
    ...post("/pay/return/:gateway"),
    summary: "The same for gateways whose return is a form POST",
    ...byAnyone,
    params: ofGateway,
    query: returnQuery,
    raw: true,
    answer: { as: "reply", replies: returned },
    bodyLimitBytes: 64 * 1024,
    problems: ["orderNotFound", "otherGateway", "bodyTooLarge"],
  }),
};

export const reconciliationEndpoints = {
  runReconciliation: endpoint({
    ...post("/reconcile/run"),
    summary: "Compare a gateway's statement of a day with the orders",
    group: "money",
    ...ownOfAdministrators,
    body: z.object({ gateway: gateway(), date: day().describe("Not after today") }),
    answer: { as: "envelope", data: reconciled },
    problems: ["notAllowedNow", "outsideNotConfigured", "outsideFailed"],
  }),
  listReconciliation: endpoint({
    ...get("/reconcile/list"),
    summary: "List the differences between statements and orders, newest first",
    ...ownOfAdministrators,
    query: z.object({
      date: day().optional(),
      gateway: gateway().optional(),
      type: z.enum(reconciliationTypes).optional(),
      orderNo: freeText(30).optional(),
      handled: z.boolean().optional(),
      ...listQuery("curPage", rowFields),
    }),
    answer: { as: "envelope", data: pageOf(reconciliationRow) },
  }),
  listReconciledDays: endpoint({
    ...get("/reconcile/days"),
    summary: "List each gateway's days with a statement, differences or bookings, newest first",
    ...ownOfAdministrators,
    query: z.object({
      startDate: day().optional().describe("Default: 30 days before the end"),
      endDate: day().optional().describe("Default: today"),
    }),
    answer: { as: "envelope", data: z.array(reconciledDay) },
  }),
  handleReconciliation: endpoint({
    ...put("/reconcile/handle/:id"),
    summary: "Record the decision about a difference",
    group: "money",
    ...ownOfAdministrators,
    params: z.object({ id: recordId() }),
    body: z.object({ note: requiredText(1000) }),
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound", "notAllowedNow"],
  }),
};

export const simulatedEndpoints = {
  actSimulated: endpoint({
    ...post("/simulated/:orderNo"),
    summary: "Pay an order at the simulated gateway, or simulate a failure",
    ...byAnyone,
    params: ofOrder,
    body: z.object({
      result: z
        .enum(["success", "fail", "down"])
        .describe("fail, for a paid order: its refunds are refused; down: query, close and refund fail"),
      amount: yuan().optional().describe("Default: the order's"),
      notify: z.boolean().optional().describe("false: no notice is sent"),
      statement: yuan()
        .nullable()
        .optional()
        .describe("Amount in the day's statement; null: missing from it; default: the amount"),
    }),
    answer: {
      as: "envelope",
      data: z.object({
        notice: simulatedNotice.nullable(),
        reply: z
          .object({ success: z.boolean(), message: z.string(), code: z.string(), data: z.unknown() })
          .nullable()
          .describe("Response to the notice"),
      }),
    },
    problems: ["forbidden", "outsideNotConfigured"],
  }),
  showSimulated: endpoint({
    ...get("/simulated/:orderNo"),
    summary: "Page of the simulated gateway",
    ...byAnyone,
    params: ofOrder,
    answer: { as: "file", mime: "text/html" },
    problems: ["forbidden", "outsideNotConfigured"],
  }),
};

export const orderEndpoints = {
  ...studentOrderEndpoints,
  ...administratorOrderEndpoints,
  ...gatewayEndpoints,
  ...reconciliationEndpoints,
  ...simulatedEndpoints,
};
