import * as z from "zod";
import { workbookMime, under } from "#platform/contract/endpoint.ts";
import {
  dateTime,
  day,
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
  ofStudents,
  ownOfAdministrators,
  ownOfStudents,
  ownPayable,
  prefix,
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
    en: "must consist of 6 to 30 letters and digits",
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
    .describe(
      "asked: awaits approval by a second person; failed: rejected by the gateway; refused: rejected by the second person",
    ),
  time: dateTime().describe("Time of the request"),
});

export const order = z.object({
  orderNo: z.string().describe("Order number, also used at the gateway"),
  studentNo: z.string().nullable().describe("null for a new student without a student number"),
  studentName: z.string(),
  grade: z.string(),
  amount: amount().describe("In yuan"),
  status: z.enum(orderStatuses),
  gateway: gateway().nullable().describe("Payment gateway; null until payment begins"),
  tradeNo: z.string().nullable().describe("Transaction number of the gateway"),
  payables: z.array(z.object({ payableId: recordId(), years: z.string(), items: z.array(item) })),
  refundedAmount: amount().describe("Refunded in yuan, without refunds of duplicate payments"),
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
    .describe(
      "Cause of the change. student: by the student; notice, query or poll: reported by the gateway in a notice, or when queried on request or by polling; limit: the order expired; gateway: by the outcome of a refund; twice: the items were also paid by another order; otherwise: the administrator's name",
    ),
});

export const payableWithItems = ownPayable.extend({
  items: z.array(dueItem.extend({ state: z.enum(["unpaid", "held", "paid"]) })),
});

export const receipt = order.extend({
  receiptNo: z.string().describe("R, the year and a consecutive number, assigned when the receipt is first requested"),
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
    .describe("Only for kind form: the form that the browser must post"),
  url: z
    .string()
    .optional()
    .describe("Only for kinds redirect and h5: address to open; an h5 address is valid for five minutes"),
  qr: z.string().optional().describe("Only for kind native: text of the QR code for the messaging app"),
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
    .describe("Only for kind jsapi: parameters for the messaging platform's page"),
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
    .describe(
      "Received amount in yuan if it differs from the order's amount or arrived after an earlier decision; otherwise null",
    ),
  refunds: z
    .array(
      z.object({
        refundNo: z.string(),
        doneTime: dateTime().nullable(),
        tradeNo: z.string().nullable().describe("Refund number of the gateway"),
        failure: z
          .string()
          .nullable()
          .describe("Why the refund failed: the gateway's last response, or the reason for the rejection"),
        by: z.string().nullable().describe("Person who requested the refund; null: automatic"),
        decidedBy: z.string().nullable().describe("Second person, who approved or rejected the refund"),
        endedBy: z.string().nullable().describe("Person who handled the refund after it failed"),
        evidence: z.string().nullable().describe("How a failed refund was returned outside the gateway"),
        secondTrade: z
          .string()
          .nullable()
          .describe("Gateway's transaction number of the duplicate payment that is refunded"),
      }),
    )
    .describe("Refunds with the gateway's responses"),
  calls: z
    .array(
      z.object({
        time: dateTime(),
        endTime: dateTime().nullable().describe("null: no response yet, or the process was terminated"),
        gateway: gateway(),
        call: z.enum(["pay", "query", "close", "refund", "queryRefund"]),
        refundNo: z.string().nullable(),
        outcome: z.string().nullable().describe("State reported by the gateway, or how the call failed"),
      }),
    )
    .describe("Requests to the gateway"),
  notices: z
    .array(
      z.object({
        time: dateTime(),
        gateway: gateway(),
        times: z.int().min(1).describe("How many times the notice was received"),
        outcome: z.string(),
        message: z.string().describe("The notice as received, at most 4000 characters"),
      }),
    )
    .describe("Notices of the gateway with verified signatures"),
  ledger: z
    .array(
      z.object({
        time: dateTime(),
        posting: z.int().min(1).describe("Number of the posting; the amounts of its lines sum to zero"),
        what: z.enum(["payment", "secondPayment", "refundDue", "refundFailed", "refund"]),
        account: z.enum(["gateway", "tuition", "surplus", "hand"]),
        amount: z.number().describe("In yuan, positive or negative"),
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
  unhandledRows: z.int().min(0).describe("Open differences from statements"),
  mismatchedOrders: z.int().min(0).describe("Orders with a received amount that awaits a decision"),
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
  ourAmount: z
    .number()
    .nullable()
    .describe("Amount in our records in yuan, negative for a refund; null: not in our records"),
  theirAmount: z
    .number()
    .nullable()
    .describe("Amount in the statement in yuan, negative for a refund; null: not in the statement"),
  type: z
    .enum(reconciliationTypes)
    .describe("long: only in the statement; short: only in our records; mismatch: the amounts differ"),
  handled: z.boolean(),
  note: z.string().nullable(),
});

export const reconciledDay = z.object({
  date: z.string(),
  gateway: gateway(),
  compareTime: dateTime().nullable().describe("Time of the last fetch and comparison; null: unknown"),
  isFetched: z.boolean().describe("Whether the day's statement was fetched"),
  matched: z.int().min(0).nullable().describe("Matching rows; null: unknown"),
  open: z.int().min(0).describe("Number of open differences"),
  booked: z.int().min(0).describe("Payments and refunds of the day in the ledger"),
});

export const simulatedNotice = z.object({
  orderNo: z.string(),
  tradeNo: z.string(),
  amount: z.number(),
  result: z.enum(["success", "fail"]),
  sign: z.string(),
});

const bySuper = under(prefix, { access: { who: "super" }, own: true });
const byAnyone = under(prefix, { access: { who: "anyone" }, own: true });

export const ofOrder = z.object({ orderNo: orderNo() });
const ofGateway = z.object({ gateway: gateway() });

const orderFields = ["createTime", "payTime", "orderNo", "studentNo", "studentName", "amount", "status"] as const;
export type OrderField = (typeof orderFields)[number];
export const orderFilter = z.object({
  status: z.enum(orderStatuses).optional(),
  gateway: gateway().optional(),
  keyword: freeText(255).optional().describe("Substring of the order number, student number or name"),
  mismatched: z.boolean().optional().describe("Whether a received amount awaits a decision"),
  startTime: dateTime().optional().describe("Only orders created at or after this time"),
  endTime: dateTime().optional().describe("Only orders created at or before this time"),
});

export const configuredGateway = z.object({
  gateway: gateway(),
  name: z.string(),
  kind: gatewayKind().describe("Default way to begin a payment"),
  kinds: z.array(gatewayKind()).describe("All ways to begin a payment"),
  authorize: z
    .object({ url: z.string(), appId: z.string() })
    .optional()
    .describe("Only for kind jsapi: authorisation page of the messaging app, and the application id"),
});

const triedGateway = configuredGateway.extend({
  lastPayment: dateTime().nullable().describe("Time of the gateway's last payment; null: never"),
  lastRefund: dateTime().nullable().describe("Time of the gateway's last refund; null: never"),
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
      "For wechat: jsapi in its app, h5 in a phone's browser, native with a QR code; default: the first of PAY_WECHAT_KINDS. For other gateways: jsapi or h5 on a phone, native on a desktop; default: determined by the User-Agent",
    ),
  redirectUrl: requiredText(1024)
    .optional()
    .describe("Address to which the payer returns: a path of this server, or an address on one of PAY_REDIRECT_HOSTS"),
  openId: requiredText(128).optional().describe("`openid` of the payer; required for wechat with kind jsapi"),
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
  listGateways: ownOfStudents.get("/order/gateways", {
    summary: "List the available gateways",
    data: z.array(configuredGateway),
  }),
  listConfiguredGateways: ownOfAdministrators.get("/order/configuredGateways", {
    summary: "List configured gateways and when each last had a payment, a refund and a statement",
    data: z.array(triedGateway),
  }),
  listPayableItems: ownOfStudents.get("/order/payables", {
    summary: "Read the amounts due from the student, by item",
    data: z.array(payableWithItems),
  }),
  createOrder: ownOfStudents.post("/order/create", {
    summary:
      "Create an order for items of the student's own payables; the items are reserved until the order is paid or closed",
    body: createBody.extend({
      amount: yuan().describe("Amount shown to the student; must equal the sum of the items"),
      limitSeconds: z
        .int()
        .min(10)
        .max(7200)
        .optional()
        .describe("Seconds until the order closes; default: PAY_LIMIT_SECONDS"),
    }),
    data: order,
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
  payOrder: ownOfStudents.post("/order/pay/:orderNo", {
    summary:
      "Begin paying an order with a gateway; repeated calls with the same gateway and kind return the same result, except for h5",
    params: ofOrder,
    body: payWish,
    data: payAnswer,
    problems: payProblems,
  }),
  queryOrder: ownOfStudents.get("/order/query/:gateway/:orderNo", {
    summary: "Ask the gateway whether the student's own order is paid",
    params: z.object({ gateway: gateway(), orderNo: orderNo() }),
    data: order,
    problems: ["orderNotFound", "otherGateway", ...asking],
  }),
  closeOrder: ownOfStudents.post("/order/close/:orderNo", {
    summary: "Close the student's own unpaid order",
    params: ofOrder,
    data: order,
    problems: ["orderNotFound", "notAllowedNow", ...asking],
  }),
  listOwnOrders: ownOfStudents.get("/order/listOfCurrentUser", {
    summary: "List the student's own orders, newest first",
    query: z.object(listQuery("curPage", orderFields)),
    data: pageOf(order),
  }),
  findOwnOrder: ownOfStudents.get("/order/detail/:orderNo", {
    summary: "Read one of the student's own orders",
    params: ofOrder,
    data: order,
    problems: ["orderNotFound"],
  }),
};

export const administratorOrderEndpoints = {
  readReceipt: get("/order/receipt/:orderNo", {
    summary: "Read the receipt of a paid order, even during a refund",
    access: { who: "administrator", orGuests: students },
    own: true,
    scoped: true,
    params: ofOrder,
    data: receipt,
    problems: ["orderNotFound", "notAllowedNow"],
  }),
  listOrders: scopedOfAdministrators.get("/order/list", {
    summary: "List orders, newest first",
    query: orderFilter.extend(listQuery("curPage", orderFields)),
    data: pageOf(order),
  }),
  exportOrders: scopedOfAdministrators.get("/order/export", {
    summary: "Export orders as a workbook",
    query: orderFilter,
    answer: { as: "file", mime: workbookMime, streamed: true },
  }),
  findOrder: scopedOfAdministrators.get("/order/info/:orderNo", {
    summary: "Read an order with its history",
    params: ofOrder,
    data: order.extend({ events: z.array(orderEvent) }),
    problems: ["orderNotFound"],
  }),
  readOrderHistory: ownOfAdministrators.get("/order/history/:orderNo", {
    summary: "Read an order's gateway requests, notices and ledger entries",
    params: ofOrder,
    data: orderHistory,
    problems: ["orderNotFound"],
  }),
  readOrderTotals: scopedOfAdministrators.get("/order/totals", {
    summary: "Read, for each grade and charging year, the amounts due and paid",
    query: z.object({ grade: freeText().optional(), years: freeText().optional(), ...ofStudents }),
    data: orderTotals,
  }),
  readOrderFigures: ownOfAdministrators.get("/order/figures", {
    summary: "Read figures of current orders and today's payments",
    data: orderFigures,
  }),
  refundOrder: bySuper.post("/order/refund/:orderNo", {
    secondFactor: "again",
    summary: "Refund a paid order's remaining amount, or some of its items",
    group: "money",
    params: ofOrder,
    body: z.object({
      reason: requiredText(200),
      items: z
        .array(z.object({ payableId: recordId(), name: requiredText(64) }))
        .min(1)
        .max(1000)
        .optional()
        .describe("Items to refund; default: all paid items that are not refunded"),
    }),
    data: order,
    problems: ["orderNotFound", "notAllowedNow", "itemNotFound", "paymentItemExists"],
  }),
  giveBackOrder: bySuper.post("/order/giveBack/:orderNo", {
    secondFactor: "again",
    summary:
      "Refund the full payment of an order if the amount differs from the order's or the payment arrived after an earlier decision",
    group: "money",
    params: ofOrder,
    body: z.object({ reason: requiredText(200) }),
    data: order,
    problems: ["orderNotFound", "notAllowedNow", ...asking],
  }),
};

const rowFields = ["id", "date", "orderNo"] as const;
export type ReconciliationField = (typeof rowFields)[number];

const returnQuery = z.object({
  orderNo: orderNo().optional(),
  ORDERID: orderNo().optional().describe("Name of `orderNo` in returns from CCB's page"),
});
const returned = {
  302: "Redirect to the `redirectUrl` of the payment, with `orderNo` and `status` added",
};

export const gatewayEndpoints = {
  takeNotice: byAnyone.post("/pay/notify/:gateway", {
    summary: "Receive a gateway's signed notice of a payment or refund",
    params: ofGateway,
    raw: true,
    answer: {
      as: "reply",
      replies: {
        200: "Accepted. The body is `SUCCESS` for the banks, `success` for alipay and an envelope for simulated",
        204: "Accepted, for wechat",
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
  returnFromGateway: byAnyone.get("/pay/return/:gateway", {
    summary: "Handle a payer's return from the gateway: query the payment state, then redirect the browser",
    params: ofGateway,
    query: returnQuery,
    answer: { as: "reply", replies: returned },
    problems: ["orderNotFound", "otherGateway"],
  }),
  postFromGateway: byAnyone.post("/pay/return/:gateway", {
    summary: "Handle a payer's return from the gateway by a form POST",
    params: ofGateway,
    query: returnQuery,
    raw: true,
    answer: { as: "reply", replies: returned },
    bodyLimitBytes: 64 * 1024,
    problems: ["orderNotFound", "otherGateway", "bodyTooLarge"],
  }),
};

export const reconciliationEndpoints = {
  runReconciliation: ownOfAdministrators.post("/reconcile/run", {
    summary: "Compare a gateway's statement for a day with the orders",
    group: "money",
    body: z.object({ gateway: gateway(), date: day().describe("Day of the statement, not after today") }),
    data: reconciled,
    problems: ["notAllowedNow", "outsideNotConfigured", "outsideFailed"],
  }),
  listReconciliation: ownOfAdministrators.get("/reconcile/list", {
    summary: "List the differences between statements and orders, newest first",
    query: z.object({
      date: day().optional(),
      gateway: gateway().optional(),
      type: z.enum(reconciliationTypes).optional(),
      orderNo: freeText(30).optional(),
      handled: z.boolean().optional(),
      ...listQuery("curPage", rowFields),
    }),
    data: pageOf(reconciliationRow),
  }),
  listReconciledDays: ownOfAdministrators.get("/reconcile/days", {
    summary: "List the days on which a gateway has a statement, differences or ledger entries, newest first",
    query: z.object({
      startDate: day().optional().describe("Default: 30 days before `endDate`"),
      endDate: day().optional().describe("Default: today"),
    }),
    data: z.array(reconciledDay),
  }),
  handleReconciliation: ownOfAdministrators.put("/reconcile/handle/:id", {
    summary: "Record how a difference was handled",
    group: "money",
    params: z.object({ id: recordId() }),
    body: z.object({ note: requiredText(1000) }),
    problems: ["notFound", "notAllowedNow"],
  }),
};

export const simulatedEndpoints = {
  actSimulated: byAnyone.post("/simulated/:orderNo", {
    summary: "Pay an order at the simulated gateway, or simulate a failure",
    params: ofOrder,
    body: z.object({
      result: z
        .enum(["success", "fail", "down"])
        .describe(
          "fail: the payment fails, or the refunds of a paid order are rejected; down: queries, closing and refunds fail",
        ),
      amount: yuan().optional().describe("Default: the amount of the order"),
      notify: z.boolean().optional().describe("false: no notice is sent"),
      statement: yuan()
        .nullable()
        .optional()
        .describe("Amount in the day's statement; null: not in the statement; default: the paid amount"),
    }),
    data: z.object({
      notice: simulatedNotice.nullable(),
      reply: z
        .object({ success: z.boolean(), message: z.string(), code: z.string(), data: z.unknown() })
        .nullable()
        .describe("Response to the notice"),
    }),
    problems: ["forbidden", "outsideNotConfigured"],
  }),
  showSimulated: byAnyone.get("/simulated/:orderNo", {
    summary: "Show the payment page of the simulated gateway",
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
