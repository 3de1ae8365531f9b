import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { recordId } from "#platform/contract/wire.ts";
import { feedback } from "#services/tuition-payment/feedback-contract.ts";
import { order } from "#services/tuition-payment/orders/contract.ts";
import {
  get,
  ownOfStudents,
  ownPayable,
  payable,
  scopedOfAdministrators,
} from "#services/tuition-payment/payable-contract.ts";

const amount = () => z.number().min(0);

const sums = {
  chargedAmount: amount().describe("What all payables ask for, in yuan"),
  adjustedAmount: amount().describe("Of it, taken off by adjustments that stand"),
  paidAmount: amount().describe("Paid by orders, refunds included"),
  refundedAmount: amount().describe("Given back of it"),
  dueAmount: amount().describe("What is still due: charged, less adjusted, less paid, plus refunded"),
};

const orders = z
  .array(
    order.extend({
      receiptNo: z.string().nullable().describe("null while nobody has asked for the receipt"),
    }),
  )
  .describe("Newest first, at most 200");

const studentAccount = z.object({
  ...sums,
  payables: z.array(payable).describe("Oldest charging year first"),
  orders,
  feedback: z.array(feedback).describe("Newest first, at most 200; empty for whoever has a scope"),
});

export const studentAccountEndpoints = {
  readOwnAccount: endpoint({
    ...get("/account/own"),
    summary: "One's own account: what is charged, adjusted, paid, refunded and due",
    ...ownOfStudents,
    answer: {
      as: "envelope",
      data: studentAccount.extend({ payables: z.array(ownPayable).describe("Oldest charging year first") }),
    },
  }),
  readAccount: endpoint({
    ...get("/account/:payableId"),
    summary: "The account of the student who has the payable",
    ...scopedOfAdministrators,
    params: z.object({ payableId: recordId() }),
    answer: { as: "envelope", data: studentAccount },
    problems: ["notFound"],
  }),
};
