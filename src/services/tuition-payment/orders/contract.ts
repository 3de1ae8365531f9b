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
  prefix,
  scopedOfAdministrators,
} from "#services/tuition-payment/payable-contract.ts";

// Contract of orders. Amounts are yuan with at most two decimals.

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
    .describe("asked: waits for a second person; failed: the gateway has refused it; refused: the second person has"),
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

export const payableWithItems = ownPayable.extend({
  items: z.array(dueItem.extend({ state: z.enum(["unpaid", "held", "paid"]) })),
});

export const receipt = order.extend({
  receiptNo: z.string().describe("R, the year, and a number without gaps, given at the first receipt"),
  amountInWords: z.string().describe("Of what is paid and not refunded, in Chinese numerals"),
  payee: z.string().optional().describe("The institution's name; left out where it is not set"),
  seal: z.string().optional().describe("The imageName of the institution's seal; left out where it is not set"),
});

export const payAnswer = z.object({
  orderNo: z.string(),
  gateway: gateway(),
  kind: gatewayKind(),
  form: z
    .object({ action: z.string(), fields: z.record(z.string(), z.string()) })
    .optional()
    .describe("kind form: to be posted by the browser"),
  url: z.string().optional().describe("kind redirect and h5: to be gone to; of h5 good for five minutes"),
  qr: z.string().optional().describe("kind native: the text of a code that the messaging app scans"),
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
        failure: z
          .string()
          .nullable()
          .describe("Why it was not done: what the gateway said last, or a person who refused"),
        by: z.string().nullable().describe("Who has asked for it; null: a rule"),
        decidedBy: z.string().nullable().describe("The second person, who has approved or refused it"),
        endedBy: z.string().nullable().describe("Who has decided about it after it had failed"),
        evidence: z.string().nullable().describe("By what a failed one was given back without the gateway"),
        secondTrade: z.string().nullable().describe("The second payment that it gives back, by the gateway's number"),
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
        what: z.enum(["payment", "secondPayment", "refundDue", "refundFailed", "refund"]),
        account: z.enum(["gateway", "tuition", "surplus", "hand"]),
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
      decidedAmount: amount().describe("Of it, taken off by adjustments that stand"),
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

export const reconciledDay = z.object({
  date: z.string(),
  gateway: gateway(),
  compareTime: dateTime().nullable().describe("When the statement was last fetched and compared; null: not known"),
  isFetched: z.boolean().describe("Whether the day's statement is here"),
  matched: z.int().min(0).nullable().describe("Rows that agreed; null: not known"),
  open: z.int().min(0).describe("Differences that nobody has decided about"),
  booked: z.int().min(0).describe("Payments and refunds of the day in our books"),
});

export const simulatedNotice = z.object({
  orderNo: z.string(),
  tradeNo: z.string(),
  amount: z.number(),
  result: z.enum(["success", "fail"]),
  sign: z.string(),
});

// These operations are extensions of the interface documents.
const bySuper = { access: { who: "super" }, own: true } as const;
const byAnyone = { access: { who: "anyone" }, own: true } as const;

export const ofOrder = z.object({ orderNo: orderNo() });
const ofGateway = z.object({ gateway: gateway() });

const orderFields = ["createTime", "payTime", "orderNo", "studentNo", "studentName", "amount", "status"] as const;
export type OrderField = (typeof orderFields)[number];
export const orderFilter = z.object({
  status: z.enum(orderStatuses).optional(),
  gateway: gateway().optional(),
  keyword: freeText(255).optional().describe("Anywhere in the order number, or in the student's number or name"),
  mismatched: z.boolean().optional().describe("Whether money came that waits for a person"),
  startTime: dateTime().optional().describe("Created at or after"),
  endTime: dateTime().optional().describe("Created at or before"),
});

export const configuredGateway = z.object({
  gateway: gateway(),
  name: z.string(),
  kind: gatewayKind().describe("The usual one of kinds"),
  kinds: z.array(gatewayKind()).describe("In which ways a payment may be begun"),
  authorize: z
    .object({ url: z.string(), appId: z.string() })
    .optional()
    .describe("kind jsapi: the page at which the messaging app says who pays, and the application it asks that for"),
});

const triedGateway = configuredGateway.extend({
  lastPayment: dateTime().nullable().describe("When the last payment came by it; null: none ever did"),
  lastRefund: dateTime().nullable().describe("When it last gave something back; null: it never did"),
  lastStatement: z
    .string()
    .nullable()
    .describe("The last day in whose statement an order of this server was found, yyyy-MM-dd; null: none ever was"),
});

export const payWish = z.object({
  gateway: gateway(),
  kind: z
    .enum(["jsapi", "h5", "native"])
    .optional()
    .describe(
      "wechat: inside its app, on another phone's browser, or by a code; left out, the usual one. Others: h5 on a phone, native on a desk; left out, as the User-Agent says",
    ),
  redirectUrl: requiredText(1024)
    .optional()
    .describe("Where the payer comes back to: a path here, or a host of PAY_REDIRECT_HOSTS"),
  openId: requiredText(128).optional().describe("wechat: the payer's open identifier, which jsapi needs"),
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
    summary: "The gateways by which one may pay",
    ...ownOfStudents,
    answer: { as: "envelope", data: z.array(configuredGateway) },
  }),
  listConfiguredGateways: endpoint({
    ...get("/order/configuredGateways"),
    summary: "The gateways that are configured, and whether a payment, a refund and a statement were ever seen by each",
    ...ownOfAdministrators,
    answer: { as: "envelope", data: z.array(triedGateway) },
  }),
  listPayableItems: endpoint({
    ...get("/order/payables"),
    summary: "What one has to pay, item by item",
    ...ownOfStudents,
    answer: { as: "envelope", data: z.array(payableWithItems) },
  }),
  createOrder: endpoint({
    ...post("/order/create"),
    summary: "Order items of one's own payables; they are held until the order is paid or closed",
    ...ownOfStudents,
    body: createBody.extend({
      amount: yuan().describe("What the student saw: must be the items' sum"),
      limitSeconds: z
        .int()
        .min(10)
        .max(7200)
        .optional()
        .describe("Until the order closes; left out, PAY_LIMIT_SECONDS"),
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
    summary: "Begin to pay an order by a gateway; the same gateway again answers the same",
    ...ownOfStudents,
    params: ofOrder,
    body: payWish,
    answer: { as: "envelope", data: payAnswer },
    problems: payProblems,
  }),
  queryOrder: endpoint({
    ...get("/order/query/:gateway/:orderNo"),
    summary: "Ask the gateway whether one's order is paid",
    ...ownOfStudents,
    params: z.object({ gateway: gateway(), orderNo: orderNo() }),
    answer: { as: "envelope", data: order },
    problems: ["orderNotFound", "otherGateway", ...asking],
  }),
  closeOrder: endpoint({
    ...post("/order/close/:orderNo"),
    summary: "Close one's order that is not paid",
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
    summary: "One's own order",
    ...ownOfStudents,
    params: ofOrder,
    answer: { as: "envelope", data: order },
    problems: ["orderNotFound"],
  }),
};

export const administratorOrderEndpoints = {
  readReceipt: endpoint({
    ...get("/order/receipt/:orderNo"),
    summary: "The receipt of a paid order, also while a refund runs",
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
    summary: "One order, and how it came to its state",
    ...scopedOfAdministrators,
    params: ofOrder,
    answer: { as: "envelope", data: order.extend({ events: z.array(orderEvent) }) },
    problems: ["orderNotFound"],
  }),
  readOrderHistory: endpoint({
    ...get("/order/history/:orderNo"),
    summary: "What the gateway was asked about an order and what it sent, and what the ledger says",
    ...ownOfAdministrators,
    params: ofOrder,
    answer: { as: "envelope", data: orderHistory },
    problems: ["orderNotFound"],
  }),
  readOrderTotals: endpoint({
    ...get("/order/totals"),
    summary: "What is due and what is paid, by grade and charging year",
    ...scopedOfAdministrators,
    query: z.object({ grade: freeText(32).optional(), years: freeText(32).optional(), ...ofStudents }),
    answer: { as: "envelope", data: orderTotals },
  }),
  readOrderFigures: endpoint({
    ...get("/order/figures"),
    summary: "How many orders are under way, and what came in today",
    ...ownOfAdministrators,
    answer: { as: "envelope", data: orderFigures },
  }),
  refundOrder: endpoint({
    ...post("/order/refund/:orderNo"),
    secondFactor: "again",
    summary: "Give back all that is left of a paid order, or some of its items",
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
        .describe("Left out: all that is left"),
    }),
    answer: { as: "envelope", data: order },
    problems: ["orderNotFound", "notAllowedNow", "itemNotFound", "paymentItemExists"],
  }),
  giveBackOrder: endpoint({
    ...post("/order/giveBack/:orderNo"),
    secondFactor: "again",
    summary: "Give back, whole, what was paid for an order in another amount than its own",
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
  ORDERID: orderNo().optional().describe("As the first bank's page calls it"),
});
const returned = {
  302: "On to the redirectUrl of the order's pay, with `orderNo` and `status` added",
};

/** Called by gateways, or by a payer's browser that returns. */
export const gatewayEndpoints = {
  takeNotice: endpoint({
    ...post("/pay/notify/:gateway"),
    summary: "What a gateway tells of a payment or refund, signed by it",
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
    summary: "Where a payer's browser comes back to; believes nothing, and asks the gateway",
    ...byAnyone,
    params: ofGateway,
    query: returnQuery,
    answer: { as: "reply", replies: returned },
    problems: ["orderNotFound", "otherGateway"],
  }),
  postFromGateway: endpoint({
    ...post("/pay/return/:gateway"),
    summary: "The same for gateways that have the browser post a form",
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
    summary: "Days of each gateway that have a statement, differences or bookings, newest first",
    ...ownOfAdministrators,
    query: z.object({
      startDate: day().optional().describe("Left out: 30 days before the end"),
      endDate: day().optional().describe("Left out: today"),
    }),
    answer: { as: "envelope", data: z.array(reconciledDay) },
  }),
  handleReconciliation: endpoint({
    method: "PUT",
    url: `${prefix}/reconcile/handle/:id`,
    summary: "Write down what was decided about a difference",
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
    summary: "Pay an order at the gateway that only pretends, or have it fail",
    ...byAnyone,
    params: ofOrder,
    body: z.object({
      result: z
        .enum(["success", "fail", "down"])
        .describe(
          "fail, of one that is paid: refunds of it are refused; down: its query, close and refund of the order fail",
        ),
      amount: yuan().optional().describe("Left out: the order's"),
      notify: z.boolean().optional().describe("false: no notice is sent"),
      statement: yuan()
        .nullable()
        .optional()
        .describe("Amount in the day's statement; null: it is not in it; left out: the amount"),
    }),
    answer: {
      as: "envelope",
      data: z.object({
        notice: simulatedNotice.nullable(),
        reply: z
          .object({ success: z.boolean(), message: z.string(), code: z.string(), data: z.unknown() })
          .nullable()
          .describe("What the notice was answered"),
      }),
    },
    problems: ["forbidden", "outsideNotConfigured"],
  }),
  showSimulated: endpoint({
    ...get("/simulated/:orderNo"),
    summary: "The page of the gateway that only pretends",
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
