import * as z from "zod";
import { endpoint, type ServiceContract, workbookMime } from "#platform/contract/endpoint.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import { decimal, listQuery, pageOf, passesOver, recordId, requiredText } from "#platform/contract/wire.ts";
import { administratorEndpoints } from "./administrator-contract.ts";
import { students } from "./cards/contract.ts";
import { feedbackEndpoints } from "./feedback-contract.ts";
import { orderEndpoints } from "./orders/contract.ts";
import {
  listedPayable,
  payable,
  payableBody,
  payableFields,
  payableFilter,
  payableLengths,
} from "./payable-contract.ts";

export const payLimit = z.object({
  id: recordId(),
  gradeName: z.string().describe("The grade as people say it, such as 2022级"),
  grade: z.string().describe("The grade as payables have it, such as 2022"),
  enablePay: z.enum(["1", "2"]).describe("1 can pay, 2 cannot"),
});

const id = z.object({ id: recordId() });
const text = decimal();
const administrators = { who: "administrator" } as const;
const prefix = "/tuitionpayment";

export const endpoints = {
  ...administratorEndpoints,

  listPayLimits: endpoint({
    method: "GET",
    url: "/enablePayLimit/list",
    summary: "Every grade and whether it may pay",
    access: administrators,
    answer: { as: "envelope", data: z.array(payLimit) },
  }),
  setPayLimit: endpoint({
    method: "PUT",
    url: "/enablePayLimit/setting/:settingId/:enablePay",
    summary: "Let a grade pay, or not",
    group: "money",
    access: administrators,
    params: z.object({ settingId: recordId(), enablePay: z.enum(["1", "2"]).describe("1 can pay, 2 cannot") }),
    answer: { as: "envelope", data: text },
    problems: ["gradeNotFound"],
  }),

  listOwnPayLimits: endpoint({
    method: "GET",
    url: "/enablePayLimit/own",
    summary: "The grades of one's own payables, and whether they may pay",
    access: { who: "guest", guests: students },
    answer: { as: "envelope", data: z.array(payLimit) },
    own: true,
  }),

  ...feedbackEndpoints,

  loginStudent: endpoint({
    method: "POST",
    url: `${prefix}/student/login`,
    summary: "Exchange the campus platform's authorization code for a card token (STUDENT_IDENTITY=campus)",
    access: { who: "anyone", limit: "open" },
    body: z.object({ code: requiredText(1024).describe("The wxcode of the campus platform; it works once") }),
    form: true,
    answer: {
      as: "envelope",
      data: z.object({
        cardNumber: z.string().describe("To be sent as the header card_number"),
        token: z.string().describe("To be sent as the header card_token"),
        expireTime: z.int().describe("Epoch milliseconds"),
      }),
    },
    holdsSecret: true,
    problems: ["notAllowedNow", "forbidden", "outsideNotConfigured", "outsideFailed"],
    own: true,
  }),
  findOwnPayable: endpoint({
    method: "GET",
    url: `${prefix}/payableinfo/payableInfo`,
    summary: "What one has to pay: the earliest unpaid charging year, else the latest",
    access: { who: "guest", guests: students },
    answer: { as: "envelope", data: payable },
    problems: ["paymentNotFound"],
  }),
  matchPayable: endpoint({
    method: "GET",
    url: `${prefix}/payableinfo/payableInfo/:studentNo/:studentName`,
    summary: "What a student has to pay, by number and name",
    access: { who: "guest", guests: students, mostPerMinute: 20 },
    params: z.object({
      studentNo: requiredText(payableLengths.studentNo).describe(
        "Student number, or identity card number of a new student",
      ),
      studentName: requiredText(payableLengths.studentName),
    }),
    answer: { as: "envelope", data: payable },
    problems: ["paymentNotFound"],
  }),
  listOwnPayables: endpoint({
    method: "GET",
    url: `${prefix}/payableinfo/years`,
    summary: "What one has to pay in every charging year, oldest first",
    access: { who: "guest", guests: students },
    answer: { as: "envelope", data: z.array(payable) },
    own: true,
  }),
  listPayables: endpoint({
    method: "GET",
    url: `${prefix}/payableinfo/list`,
    summary: "List payables, newest first",
    access: administrators,
    query: z.object({ ...payableFilter, ...listQuery("curPage", payableFields) }),
    answer: { as: "envelope", data: pageOf(listedPayable) },
  }),
  findPayable: endpoint({
    method: "GET",
    url: `${prefix}/payableinfo/info/:id`,
    summary: "One payable, and whether it is paid",
    access: administrators,
    params: id,
    answer: { as: "envelope", data: payable },
    problems: ["notFound"],
    own: true,
  }),
  listPaidPayables: endpoint({
    method: "GET",
    url: `${prefix}/payableinfo/paid`,
    summary: "Which of some payables are paid; data is their ids",
    access: administrators,
    query: z.object({ ids: z.array(recordId()).min(1).max(1000) }),
    answer: { as: "envelope", data: z.array(recordId()) },
    own: true,
  }),
  importPayables: endpoint({
    method: "POST",
    url: `${prefix}/payableinfo/import`,
    summary: "Import payables from a workbook; data is the number of rows",
    access: administrators,
    upload: { limit: "workbook" },
    fields: z.object({
      dryRun: z.boolean().optional().describe("true: check only, and store nothing"),
      replace: z.boolean().optional().describe("true: a payable that is there already takes what the row says"),
    }),
    answer: { as: "envelope", data: text },
    idempotent: true,
    problems: ["importFailed"],
    own: true,
  }),
  readImportTemplate: endpoint({
    method: "GET",
    url: `${prefix}/payableinfo/importTemplate`,
    summary: "The workbook to fill in for the import",
    access: administrators,
    answer: { as: "file", mime: workbookMime },
    own: true,
  }),
  exportPayables: endpoint({
    method: "GET",
    url: `${prefix}/payableinfo/export`,
    summary: "Export payables as a workbook, with whether they are paid",
    access: administrators,
    query: z.object(payableFilter),
    answer: { as: "file", mime: workbookMime, streamed: true },
    own: true,
  }),
  savePayable: endpoint({
    method: "POST",
    url: `${prefix}/payableinfo/save`,
    summary: "Add a payable",
    access: administrators,
    body: passesOver(z.object(payableBody), { id: "id", pay: "boolean" }),
    answer: { as: "envelope", data: text },
    idempotent: true,
    problems: ["alreadyExists", "amountWrong", "paymentItemExists"],
    own: true,
  }),
  updatePayable: endpoint({
    method: "PUT",
    url: `${prefix}/payableinfo/update`,
    summary: "Change a payable that is not paid; what is left out stays",
    access: administrators,
    body: passesOver(z.object(payableBody).partial().extend({ id: recordId().optional() }), { pay: "boolean" }),
    answer: { as: "envelope", data: text },
    problems: ["idMissing", "notFound", "alreadyExists", "notAllowedNow", "amountWrong", "paymentItemExists"],
    own: true,
  }),
  deletePayable: endpoint({
    method: "DELETE",
    url: `${prefix}/payableinfo/delete/:id`,
    summary: "Delete a payable that is not paid",
    access: administrators,
    params: id,
    answer: { as: "envelope", data: text },
    problems: ["notFound", "notAllowedNow"],
    own: true,
  }),
  recordPayment: endpoint({
    method: "PUT",
    url: `${prefix}/payableinfo/pay/:id/:pay`,
    summary: "Record an administrator's decision that a payable is paid, or take it back",
    group: "money",
    access: administrators,
    params: z.object({ id: recordId(), pay: z.enum(["true", "false"]) }),
    answer: { as: "envelope", data: text },
    problems: ["notFound", "notAllowedNow"],
    own: true,
  }),

  ...orderEndpoints,
};

export const tuitionPayment: ServiceContract<typeof endpoints> = {
  name: "tuition-payment",
  title: { zh: "学费缴纳", en: "Tuition payment" },
  about: {
    zh: "缴费信息、年级缴费开关与意见反馈",
    en: "What students have to pay, which grades can pay, and feedback",
  },
  color: "#d97706",
  problems: sharedProblems,
  endpoints,
};
