import * as z from "zod";
import { under } from "#platform/contract/endpoint.ts";
import { dateTime, requiredText } from "#platform/contract/wire.ts";
import { ownOfStudents, prefix } from "#services/tuition-payment/payable-contract.ts";
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

const token = requiredText(64).describe("Secret of the link, which follows the # in its address");
const open = under(prefix, { access: { who: "anyone", limit: "open" }, own: true });

export const linkedOrder = z.object({
  orderNo: z.string(),
  studentName: z.string().describe("Masked except for the last character"),
  amount: z.number().describe("In yuan"),
  payables: order.shape.payables,
  status: z.enum(orderStatuses),
  gateway: gateway().nullable().describe("Payment gateway; null until payment begins"),
  expireTime: dateTime(),
  payTime: dateTime().nullable(),
  closeTime: dateTime().nullable(),
  refundTime: dateTime().nullable(),
  gateways: z.array(configuredGateway).describe("Available gateways"),
});

export const linkEndpoints = {
  linkOrder: ownOfStudents.post("/order/link/:orderNo", {
    summary: "Create a link with which anybody can pay the student's own order; the previous link expires",
    params: z.object({ orderNo: orderNo() }),
    data: z.object({ url: z.string().describe("Address of the payment page, with the secret after the #") }),
    problems: ["orderNotFound", "notAllowedNow"],
    holdsSecret: true,
  }),
  readLinkedOrder: open.post("/order/linked", {
    summary: "Read the order of a link; if a payment is in progress, the gateway is queried",
    body: z.object({ token }),
    data: linkedOrder,
    problems: ["orderNotFound"],
  }),
  payLinkedOrder: open.post("/order/linked/pay", {
    summary: "Begin paying the order of a link",
    body: payWish.extend({ token }),
    data: payAnswer,
    problems: payProblems,
  }),
  findPayer: open.post("/order/payer", {
    summary: "Exchange the messaging app's authorization code for the payer's openid",
    body: z.object({ code: requiredText(512).describe("Authorization code; can be used once") }),
    data: z.object({ openId: z.string() }),
    problems: ["notAllowedNow", "outsideNotConfigured", "outsideFailed"],
  }),
};
