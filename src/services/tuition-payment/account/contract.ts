import * as z from "zod";
import { recordId } from "#platform/contract/wire.ts";
import { feedback } from "#services/tuition-payment/feedback-contract.ts";
import { order } from "#services/tuition-payment/orders/contract.ts";
import {
  ownOfStudents,
  ownPayable,
  payable,
  scopedOfAdministrators,
} from "#services/tuition-payment/payable-contract.ts";

const amount = () => z.number().min(0);

const sums = {
  chargedAmount: amount().describe("Total of all payables, in yuan"),
  adjustedAmount: amount().describe("Deducted by adjustments in force"),
  paidAmount: amount().describe("Paid through orders, including amounts refunded later"),
  refundedAmount: amount().describe("Refunded"),
  dueAmount: amount().describe("Still due: charged − adjusted − paid + refunded"),
};

const orders = z
  .array(
    order.extend({
      receiptNo: z.string().nullable().describe("Receipt number; null until the receipt is requested"),
    }),
  )
  .describe("Newest first, at most 200");

const studentAccount = z.object({
  ...sums,
  payables: z.array(payable).describe("Oldest charging year first"),
  orders,
  feedback: z.array(feedback).describe("Newest first, at most 200; empty for callers with a limited data scope"),
});

export const studentAccountEndpoints = {
  readOwnAccount: ownOfStudents.get("/account/own", {
    summary: "Read the student's own account: charged, adjusted, paid, refunded and due",
    data: studentAccount.extend({ payables: z.array(ownPayable).describe("Oldest charging year first") }),
  }),
  readAccount: scopedOfAdministrators.get("/account/:payableId", {
    summary: "Read the account of the student to whom a payable belongs",
    params: z.object({ payableId: recordId() }),
    data: studentAccount,
    problems: ["notFound"],
  }),
};
