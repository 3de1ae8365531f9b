import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { dateTime, requiredText } from "#platform/contract/wire.ts";
import { ownOfStudents, post } from "#services/tuition-payment/payable-contract.ts";
import {
  configuredGateway,
  gateway,
  order,
  orderNo,
  orderStatuses,
  payAnswer,
  payProblems,
  payWish,
} from "./contract.ts";

const token = requiredText(64).describe("The link's secret, after its #");
const open = { access: { who: "anyone", limit: "open" }, own: true } as const;

export const linkedOrder = z.object({
  orderNo: z.string(),
  studentName: z.string().describe("Masked but for the last character"),
  amount: z.number().describe("In yuan"),
  payables: order.shape.payables,
  status: z.enum(orderStatuses),
  gateway: gateway().nullable().describe("null before pay"),
  expireTime: dateTime(),
  payTime: dateTime().nullable(),
  gateways: z.array(configuredGateway).describe("Available gateways"),
});

export const linkEndpoints = {
  linkOrder: endpoint({
    ...post("/order/link/:orderNo"),
    summary: "Create a link with which anybody can pay one's own order; the previous link expires",
    ...ownOfStudents,
    params: z.object({ orderNo: orderNo() }),
    answer: {
      as: "envelope",
      data: z.object({ url: z.string().describe("Address of the page, with the secret after the #") }),
    },
    problems: ["orderNotFound", "notAllowedNow"],
    holdsSecret: true,
  }),
  readLinkedOrder: endpoint({
    ...post("/order/linked"),
    summary: "The order of a link; if being paid, its gateway is queried",
    ...open,
    body: z.object({ token }),
    answer: { as: "envelope", data: linkedOrder },
    problems: ["orderNotFound"],
  }),
  payLinkedOrder: endpoint({
    ...post("/order/linked/pay"),
    summary: "Begin paying the order of a link",
    ...open,
    body: payWish.extend({ token }),
    answer: { as: "envelope", data: payAnswer },
    problems: payProblems,
  }),
  findPayer: endpoint({
    ...post("/order/payer"),
    summary: "Exchange the code of the messaging app's authorisation for the payer's open identifier",
    ...open,
    body: z.object({ code: requiredText(512).describe("Single use") }),
    answer: { as: "envelope", data: z.object({ openId: z.string() }) },
    problems: ["notAllowedNow", "outsideNotConfigured", "outsideFailed"],
  }),
};
