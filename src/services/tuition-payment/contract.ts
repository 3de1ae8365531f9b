import * as z from "zod";
import { accountEndpoints, loginBody } from "#platform/accounts/endpoints.ts";
import { endpoint, type ServiceContract } from "#platform/contract/endpoint.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import {
  dateTime,
  decimal,
  freeText,
  listQuery,
  pageOf,
  passesOver,
  patternText,
  phoneNumber,
  recordId,
  requiredText,
  yuan,
} from "#platform/contract/wire.ts";
import { orderEndpoints } from "./orders/contract.ts";
import { listedPayable, payable, payableFields } from "./payable-contract.ts";

export { listedPayable, payable } from "./payable-contract.ts";

export const administrator = z.object({
  id: recordId(),
  userName: z.string(),
  password: z.null().describe("Never returned"),
  adminType: z.enum(["0", "1"]).describe("0 super administrator, 1 other"),
  status: z.enum(["0", "1"]).describe("0 frozen, 1 normal"),
});

const administratorFields = ["id", "userName", "adminType", "status"] as const;
export type AdministratorField = (typeof administratorFields)[number];

const administratorBody = {
  userName: requiredText(),
  adminType: z.enum(["0", "1"]).describe("0 super administrator, 1 other"),
  status: z.enum(["0", "1"]).describe("0 frozen, 1 normal"),
};
const password = z.string().meta({ minLength: 8, maxLength: 128 }).describe("8 to 128 characters");

export const payLimit = z.object({
  id: recordId(),
  gradeName: z.string().describe("The grade as people say it, such as 2022级"),
  grade: z.string().describe("The grade as payables have it, such as 2022"),
  enablePay: z.enum(["1", "2"]).describe("1 can pay, 2 cannot"),
});

export const feedback = z.object({
  id: recordId(),
  feedbackPersonIdentify: z.string().describe("Card number of the student"),
  feedbackPersonName: z.string(),
  feedbackPersonPhone: z.string(),
  feedbackInfo: z.string(),
  statu: z.enum(["1", "2"]).describe("1 unprocessed, 2 processed"),
  publishTime: dateTime(),
  handleTime: dateTime().nullable().describe("null until it is processed"),
});

const feedbackFields = [
  "id",
  "feedbackPersonIdentify",
  "feedbackPersonName",
  "feedbackPersonPhone",
  "statu",
  "publishTime",
  "handleTime",
] as const;
export type FeedbackField = (typeof feedbackFields)[number];

/** Most characters of a payable's texts, in a body and in a workbook alike. */
export const payableLengths = {
  studentNo: 64,
  studentName: 64,
  grade: 32,
  years: 32,
  collegeName: 128,
  majorName: 128,
  className: 128,
  payItemDetail: 4000,
} as const;

export const idCardPattern = /^[0-9A-Za-z()-]{6,32}$/;

const idCard = patternText(idCardPattern, 32, {
  zh: "应为6到32位的证件号码",
  en: "must be an identity card number of 6 to 32 letters and digits",
});

const payableBody = {
  studentNo: freeText(payableLengths.studentNo)
    .optional()
    .describe("Student number; new students have none yet, and are known by idCard")
    .meta({ examples: ["2022010001"] }),
  idCard: idCard
    .optional()
    .describe("Identity card number, by which new students are found; needed without a number; kept, never returned"),
  studentName: requiredText(payableLengths.studentName).meta({ examples: ["张三"] }),
  grade: requiredText(payableLengths.grade).meta({ examples: ["2022"] }),
  years: requiredText(payableLengths.years)
    .describe("Charging year")
    .meta({ examples: ["2025", "2026"] }),
  collegeName: freeText(payableLengths.collegeName).optional(),
  majorName: freeText(payableLengths.majorName).optional(),
  className: freeText(payableLengths.className).optional(),
  realPayAmount: yuan().describe("Amount payable, in yuan; the items must add up to it"),
  payItemDetail: requiredText(payableLengths.payItemDetail)
    .describe("The items as name:amount, a backslash between them; a name holds neither colon nor backslash")
    .meta({ examples: ["学费:4800\\住宿费:1200"] }),
};

const payableFilter = {
  keyword: freeText(255).optional().describe("Anywhere in the student's name or number"),
  grade: freeText(32).optional().describe("One grade; an addition of this platform"),
  years: freeText(32).optional().describe("One charging year; an addition of this platform"),
  pay: z.boolean().optional().describe("Paid or not; an addition of this platform"),
};

const id = z.object({ id: recordId() });
const text = decimal();
const administrators = { who: "administrator" } as const;
const prefix = "/tuitionpayment";
const workbookMime = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

export const endpoints = {
  login: endpoint({
    method: "POST",
    url: `${prefix}/admininfo/login`,
    summary: "Log in; the token also comes as the header admin_token",
    access: { who: "anyone", limit: "login" },
    body: loginBody,
    form: true,
    answer: {
      as: "envelope",
      data: z.object({
        userName: z.string(),
        token: z.string(),
        expireTime: z.int().describe("Epoch milliseconds"),
      }),
    },
    holdsSecret: true,
  }),
  listAdministrators: endpoint({
    method: "GET",
    url: `${prefix}/admininfo/list`,
    summary: "List administrators, newest first",
    access: administrators,
    query: z.object(listQuery("curPage", administratorFields)),
    answer: { as: "envelope", data: pageOf(administrator) },
  }),
  saveAdministrator: endpoint({
    method: "POST",
    changesAccounts: true,
    url: `${prefix}/admininfo/save`,
    summary: "Add an administrator",
    access: { who: "super" },
    body: passesOver(z.object({ ...administratorBody, password }), { id: "id" }),
    answer: { as: "envelope", data: text },
    idempotent: true,
    problems: ["alreadyExists"],
  }),
  updateAdministrator: endpoint({
    method: "PUT",
    changesAccounts: true,
    url: `${prefix}/admininfo/update`,
    summary: "Change an administrator; what is left out stays",
    access: { who: "super" },
    body: z.object({
      id: recordId().optional(),
      userName: requiredText().optional(),
      password: password.optional(),
      adminType: administratorBody.adminType.optional(),
      status: administratorBody.status.optional(),
    }),
    answer: { as: "envelope", data: text },
    problems: ["idMissing", "notFound", "alreadyExists"],
  }),
  deleteAdministrator: endpoint({
    method: "DELETE",
    changesAccounts: true,
    url: `${prefix}/admininfo/delete/:id`,
    summary: "Delete an administrator",
    access: { who: "super" },
    params: id,
    answer: { as: "envelope", data: text },
    problems: ["notFound"],
  }),
  ...accountEndpoints(`${prefix}/admininfo`),

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
    access: administrators,
    params: z.object({ settingId: recordId(), enablePay: z.enum(["1", "2"]).describe("1 can pay, 2 cannot") }),
    answer: { as: "envelope", data: text },
    problems: ["gradeNotFound"],
  }),

  saveFeedback: endpoint({
    method: "POST",
    url: `${prefix}/feedbackmsg/save`,
    summary: "Give feedback",
    access: { who: "card", mostPerMinute: "open" },
    body: z.object({
      feedbackPersonName: requiredText(64).meta({ examples: ["张三"] }),
      feedbackPersonPhone: phoneNumber().meta({ examples: ["555 0100 0001"] }),
      feedbackInfo: requiredText(512),
    }),
    answer: { as: "envelope", data: text },
    idempotent: true,
  }),
  listOwnFeedback: endpoint({
    method: "GET",
    url: `${prefix}/feedbackmsg/listOfCurrentUser`,
    summary: "List one's own feedback, newest first",
    access: { who: "card" },
    query: z.object(listQuery("curPage", feedbackFields)),
    answer: { as: "envelope", data: pageOf(feedback) },
  }),
  deleteFeedback: endpoint({
    method: "DELETE",
    url: `${prefix}/feedbackmsg/delete/:id`,
    summary: "Delete one's own feedback",
    access: { who: "card" },
    params: id,
    answer: { as: "envelope", data: text },
    problems: ["notFound"],
  }),
  listFeedback: endpoint({
    method: "GET",
    url: `${prefix}/feedbackmsg/list`,
    summary: "List feedback, newest first",
    access: administrators,
    query: z.object({
      status: z.enum(["1", "2"]).optional().describe("1 unprocessed, 2 processed; left out: all"),
      keyword: freeText(255).optional().describe("Anywhere in the reporter's name or phone"),
      ...listQuery("curPage", feedbackFields),
    }),
    answer: { as: "envelope", data: pageOf(feedback) },
  }),
  countFeedback: endpoint({
    method: "GET",
    url: `${prefix}/feedbackmsg/counts`,
    summary: "How much feedback there is in each state",
    access: administrators,
    answer: {
      as: "envelope",
      data: z.object({ unprocessed: z.int().min(0), processed: z.int().min(0) }),
    },
    own: true,
  }),
  findFeedback: endpoint({
    method: "GET",
    url: `${prefix}/feedbackmsg/info/:id`,
    summary: "One feedback",
    access: administrators,
    params: id,
    answer: { as: "envelope", data: feedback },
    problems: ["notFound"],
  }),
  processFeedback: endpoint({
    method: "PUT",
    url: `${prefix}/feedbackmsg/info/:id`,
    summary: "Mark feedback as processed",
    access: administrators,
    params: id,
    answer: { as: "envelope", data: text },
    problems: ["notFound", "notAllowedNow"],
  }),

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
    access: { who: "card" },
    answer: { as: "envelope", data: payable },
    problems: ["paymentNotFound"],
  }),
  matchPayable: endpoint({
    method: "GET",
    url: `${prefix}/payableinfo/payableInfo/:studentNo/:studentName`,
    summary: "What a student has to pay, by number and name",
    access: { who: "card", mostPerMinute: 20 },
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
    access: { who: "card" },
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
  problems: sharedProblems,
  endpoints,
};
