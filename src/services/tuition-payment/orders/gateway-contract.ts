import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { day, decimal, freeText, listQuery, pageOf, recordId, requiredText, yuan } from "#platform/contract/wire.ts";
import {
  gateway,
  orderNo,
  reconciled,
  reconciliationRow,
  reconciliationTypes,
  simulatedNotice,
} from "./schemas-contract.ts";

const prefix = "/tuitionpayment";
const administrators = { who: "administrator" } as const;
const ofOrder = z.object({ orderNo: orderNo() });
const ofGateway = z.object({ gateway: gateway() });
const text = decimal();

const rowFields = ["id", "date", "orderNo"] as const;
export type ReconciliationField = (typeof rowFields)[number];

const returnQuery = z.object({
  orderNo: orderNo().optional(),
  ORDERID: orderNo().optional().describe("As the first bank's page calls it"),
});
const returned = {
  302: "On to the redirectUrl of the order's pay, with `orderNo` and `status` added",
};

/** What gateways call, what is compared with their statements, and the one that only pretends. */
export const gatewayEndpoints = {
  takeNotice: endpoint({
    method: "POST",
    url: `${prefix}/pay/notify/:gateway`,
    summary: "What a gateway tells of a payment or refund, signed by it",
    access: { who: "anyone" },
    params: ofGateway,
    raw: true,
    answer: {
      as: "reply",
      replies: { 200: "Taken: `SUCCESS` for the banks, the envelope for simulated", 204: "Taken, for wechat" },
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
    own: true,
  }),
  returnFromGateway: endpoint({
    method: "GET",
    url: `${prefix}/pay/return/:gateway`,
    summary: "Where a payer's browser comes back to; believes nothing, and asks the gateway",
    access: { who: "anyone" },
    params: ofGateway,
    query: returnQuery,
    answer: { as: "reply", replies: returned },
    problems: ["orderNotFound", "otherGateway"],
    own: true,
  }),
  postFromGateway: endpoint({
    method: "POST",
    url: `${prefix}/pay/return/:gateway`,
    summary: "The same for gateways that have the browser post a form",
    access: { who: "anyone" },
    params: ofGateway,
    query: returnQuery,
    raw: true,
    answer: { as: "reply", replies: returned },
    bodyLimitBytes: 64 * 1024,
    problems: ["orderNotFound", "otherGateway", "bodyTooLarge"],
    own: true,
  }),

  runReconciliation: endpoint({
    method: "POST",
    url: `${prefix}/reconcile/run`,
    summary: "Compare a gateway's statement of a day with the orders",
    group: "money",
    access: administrators,
    body: z.object({ gateway: gateway(), date: day().describe("Not after today") }),
    answer: { as: "envelope", data: reconciled },
    problems: ["notAllowedNow", "outsideNotConfigured", "outsideFailed"],
    own: true,
  }),
  listReconciliation: endpoint({
    method: "GET",
    url: `${prefix}/reconcile/list`,
    summary: "List the differences between statements and orders, newest first",
    access: administrators,
    query: z.object({
      date: day().optional(),
      gateway: gateway().optional(),
      type: z.enum(reconciliationTypes).optional(),
      orderNo: freeText(30).optional(),
      handled: z.boolean().optional(),
      ...listQuery("curPage", rowFields),
    }),
    answer: { as: "envelope", data: pageOf(reconciliationRow) },
    own: true,
  }),
  handleReconciliation: endpoint({
    method: "PUT",
    url: `${prefix}/reconcile/handle/:id`,
    summary: "Write down what was decided about a difference",
    group: "money",
    access: administrators,
    params: z.object({ id: recordId() }),
    body: z.object({ note: requiredText(1000) }),
    answer: { as: "envelope", data: text },
    problems: ["notFound", "notAllowedNow"],
    own: true,
  }),

  actSimulated: endpoint({
    method: "POST",
    url: `${prefix}/simulated/:orderNo`,
    summary: "Pay an order at the gateway that only pretends, or have it fail",
    access: { who: "anyone" },
    params: ofOrder,
    body: z.object({
      result: z.enum(["success", "fail", "down"]).describe("down: its query, close and refund of the order fail"),
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
    own: true,
  }),
  showSimulated: endpoint({
    method: "GET",
    url: `${prefix}/simulated/:orderNo`,
    summary: "The page of the gateway that only pretends",
    access: { who: "anyone" },
    params: ofOrder,
    answer: { as: "file", mime: "text/html" },
    problems: ["forbidden", "outsideNotConfigured"],
    own: true,
  }),
};
