import * as z from "zod";
import { endpoint, workbookMime } from "#platform/contract/endpoint.ts";
import { dateTime, freeText, listQuery, pageOf, recordId, requiredText, yuan } from "#platform/contract/wire.ts";
import { students } from "#services/tuition-payment/cards/contract.ts";
import { gatewayEndpoints } from "./gateway-contract.ts";
import {
  createBody,
  gateway,
  gatewayKind,
  order,
  orderEvent,
  orderFigures,
  orderHistory,
  orderNo,
  orderStatuses,
  orderTotals,
  payableWithItems,
  payAnswer,
  receipt,
} from "./schemas-contract.ts";

const prefix = "/tuitionpayment";
const byCard = { who: "guest", guests: students } as const;
const administrators = { who: "administrator" } as const;

const ofOrder = z.object({ orderNo: orderNo() });

const orderFields = ["createTime", "payTime", "orderNo", "studentNo", "studentName", "amount", "status"] as const;
export type OrderField = (typeof orderFields)[number];
const orderFilter = {
  status: z.enum(orderStatuses).optional(),
  gateway: gateway().optional(),
  keyword: freeText(255).optional().describe("Anywhere in the order number, or in the student's number or name"),
  mismatched: z.boolean().optional().describe("Whether money came that waits for a person"),
  startTime: dateTime().optional().describe("Created at or after"),
  endTime: dateTime().optional().describe("Created at or before"),
};

const configuredGateways = z.array(z.object({ gateway: gateway(), name: z.string(), kind: gatewayKind() }));

/** The failures of asking a gateway. */
const asking = ["outsideNotConfigured", "outsideFailed", "ccbQueryFailed", "abcQueryFailed", "forbidden"] as const;

/** Orders: a student's, and what administrators see and do. */
export const orderEndpoints = {
  listGateways: endpoint({
    method: "GET",
    url: `${prefix}/order/gateways`,
    summary: "The gateways by which one may pay",
    access: byCard,
    answer: { as: "envelope", data: configuredGateways },
    own: true,
  }),
  listConfiguredGateways: endpoint({
    method: "GET",
    url: `${prefix}/order/configuredGateways`,
    summary: "The gateways that are configured, for administrators",
    access: administrators,
    answer: { as: "envelope", data: configuredGateways },
    own: true,
  }),
  listPayableItems: endpoint({
    method: "GET",
    url: `${prefix}/order/payables`,
    summary: "What one has to pay, item by item",
    access: byCard,
    answer: { as: "envelope", data: z.array(payableWithItems) },
    own: true,
  }),
  createOrder: endpoint({
    method: "POST",
    url: `${prefix}/order/create`,
    summary: "Order items of one's own payables; they are held until the order is paid or closed",
    access: byCard,
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
    own: true,
  }),
  payOrder: endpoint({
    method: "POST",
    url: `${prefix}/order/pay/:orderNo`,
    summary: "Begin to pay an order by a gateway; the same gateway again answers the same",
    access: byCard,
    params: ofOrder,
    body: z.object({
      gateway: gateway(),
      redirectUrl: requiredText(1024)
        .optional()
        .describe("Where the payer comes back to: a path here, or a host of PAY_REDIRECT_HOSTS"),
      openId: requiredText(128).optional().describe("wechat: the payer's open identifier, which it needs"),
    }),
    answer: { as: "envelope", data: payAnswer },
    problems: ["orderNotFound", "otherGateway", "notAllowedNow", "gradeNotFound", "noPaymentParameters", ...asking],
    own: true,
  }),
  queryOrder: endpoint({
    method: "GET",
    url: `${prefix}/order/query/:gateway/:orderNo`,
    summary: "Ask the gateway whether one's order is paid",
    access: byCard,
    params: z.object({ gateway: gateway(), orderNo: orderNo() }),
    answer: { as: "envelope", data: order },
    problems: ["orderNotFound", "otherGateway", ...asking],
    own: true,
  }),
  closeOrder: endpoint({
    method: "POST",
    url: `${prefix}/order/close/:orderNo`,
    summary: "Close one's order that is not paid",
    access: byCard,
    params: ofOrder,
    answer: { as: "envelope", data: order },
    problems: ["orderNotFound", "notAllowedNow", ...asking],
    own: true,
  }),
  listOwnOrders: endpoint({
    method: "GET",
    url: `${prefix}/order/listOfCurrentUser`,
    summary: "List one's own orders, newest first",
    access: byCard,
    query: z.object(listQuery("curPage", orderFields)),
    answer: { as: "envelope", data: pageOf(order) },
    own: true,
  }),
  findOwnOrder: endpoint({
    method: "GET",
    url: `${prefix}/order/detail/:orderNo`,
    summary: "One's own order",
    access: byCard,
    params: ofOrder,
    answer: { as: "envelope", data: order },
    problems: ["orderNotFound"],
    own: true,
  }),
  readReceipt: endpoint({
    method: "GET",
    url: `${prefix}/order/receipt/:orderNo`,
    summary: "The receipt of a paid order",
    access: { who: "administrator", orGuests: students },
    params: ofOrder,
    answer: { as: "envelope", data: receipt },
    problems: ["orderNotFound", "notAllowedNow"],
    own: true,
  }),
  listOrders: endpoint({
    method: "GET",
    url: `${prefix}/order/list`,
    summary: "List orders, newest first",
    access: administrators,
    query: z.object({ ...orderFilter, ...listQuery("curPage", orderFields) }),
    answer: { as: "envelope", data: pageOf(order) },
    own: true,
  }),
  exportOrders: endpoint({
    method: "GET",
    url: `${prefix}/order/export`,
    summary: "Export orders as a workbook",
    access: administrators,
    query: z.object(orderFilter),
    answer: { as: "file", mime: workbookMime, streamed: true },
    own: true,
  }),
  findOrder: endpoint({
    method: "GET",
    url: `${prefix}/order/info/:orderNo`,
    summary: "One order, and how it came to its state",
    access: administrators,
    params: ofOrder,
    answer: { as: "envelope", data: order.extend({ events: z.array(orderEvent) }) },
    problems: ["orderNotFound"],
    own: true,
  }),
  readOrderHistory: endpoint({
    method: "GET",
    url: `${prefix}/order/history/:orderNo`,
    summary: "What the gateway was asked about an order and what it sent, and what the ledger says",
    access: administrators,
    params: ofOrder,
    answer: { as: "envelope", data: orderHistory },
    problems: ["orderNotFound"],
    own: true,
  }),
  readOrderTotals: endpoint({
    method: "GET",
    url: `${prefix}/order/totals`,
    summary: "What is due and what is paid, by grade and charging year",
    access: administrators,
    query: z.object({ grade: freeText(32).optional(), years: freeText(32).optional() }),
    answer: { as: "envelope", data: orderTotals },
    own: true,
  }),
  readOrderFigures: endpoint({
    method: "GET",
    url: `${prefix}/order/figures`,
    summary: "How many orders are under way, and what came in today",
    access: administrators,
    answer: { as: "envelope", data: orderFigures },
    own: true,
  }),
  refundOrder: endpoint({
    method: "POST",
    url: `${prefix}/order/refund/:orderNo`,
    secondFactor: "again",
    summary: "Give back all that is left of a paid order, or some of its items",
    group: "money",
    access: { who: "super" },
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
    own: true,
  }),
  giveBackOrder: endpoint({
    method: "POST",
    url: `${prefix}/order/giveBack/:orderNo`,
    summary: "Give back, whole, what was paid for an order in another amount than its own",
    group: "money",
    access: { who: "super" },
    params: ofOrder,
    body: z.object({ reason: requiredText(200) }),
    answer: { as: "envelope", data: order },
    problems: ["orderNotFound", "notAllowedNow", ...asking],
    own: true,
  }),

  ...gatewayEndpoints,
};
