import * as z from "zod";
import {
  accountEndpoints,
  administratorEndpoints as sharedEndpoints,
  fromSignOn,
  loginEndpoint,
  rights as codes,
  session,
} from "#platform/accounts/administrator-contract.ts";
import { endpoint, type ServiceContract } from "#platform/contract/endpoint.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import { rightsField } from "#platform/contract/rights.ts";
import { scopeField } from "#platform/contract/scope.ts";
import {
  dateTime,
  decimal,
  freeText,
  listQuery,
  pageOf,
  personal,
  phoneNumber,
  recordId,
  requiredText,
} from "#platform/contract/wire.ts";
import { adjustmentEndpoints } from "./adjustments/contract.ts";
import { students } from "./cards/contract.ts";
import { journalEndpoints } from "./journal/contract.ts";
import { orderEndpoints } from "./orders/contract.ts";
import { deskEndpoints, manyRefundEndpoints, refundEndpoints } from "./orders/desk-contract.ts";
import { linkEndpoints } from "./orders/link-contract.ts";
import {
  payableChangeEndpoints,
  payableEndpoints,
  payableFileEndpoints,
  studentEndpoints,
} from "./payable-contract.ts";
import { dimensions } from "./scope-contract.ts";

const scope = scopeField(Object.keys(dimensions)).optional();
const rights = { ...codes, rights: rightsField(["tuition-payment"]).optional(), scope };
const password = z.string().meta({ minLength: 8, maxLength: 128 }).describe("8 to 128 characters");

const administrator = z.object({
  id: recordId(),
  userName: z.string(),
  password: z.null().describe("Never returned"),
  ...rights,
  fromSignOn,
});

const at = "/tuitionpayment/admininfo";

export const administratorEndpoints = {
  login: loginEndpoint(at, {
    summary: "Log in; the token also comes as the header admin_token",
    data: z.object({ userName: z.string(), ...session, scope }),
  }),
  ...sharedEndpoints(at, {
    record: administrator,
    created: z.object({ userName: requiredText(), ...rights, password }),
    changed: z.object({ id: recordId(), userName: requiredText(), password, ...rights }).partial(),
    listing: { access: { who: "administrator" } },
  }),
  ...accountEndpoints(at),
};

export const payLimit = z.object({
  id: recordId(),
  gradeName: z.string().describe("The grade as people say it, such as 2022级"),
  grade: z.string().describe("The grade as payables have it, such as 2022"),
  enablePay: z.enum(["1", "2"]).describe("1 can pay, 2 cannot"),
});

const administrators = { who: "administrator" } as const;

export const payLimitEndpoints = {
  listPayLimits: endpoint({
    method: "GET",
    url: "/enablePayLimit/list",
    summary: "Every grade and whether it may pay",
    access: administrators,
    scoped: true,
    answer: { as: "envelope", data: z.array(payLimit) },
  }),
  setPayLimit: endpoint({
    method: "PUT",
    url: "/enablePayLimit/setting/:settingId/:enablePay",
    summary: "Let a grade pay, or not",
    group: "money",
    access: administrators,
    params: z.object({ settingId: recordId(), enablePay: z.enum(["1", "2"]).describe("1 can pay, 2 cannot") }),
    answer: { as: "envelope", data: decimal() },
    problems: ["gradeNotFound"],
  }),
  listOwnPayLimits: endpoint({
    method: "GET",
    url: "/enablePayLimit/own",
    summary: "The grades of one's own payables, and whether they may pay",
    access: { who: "guest", guests: students },
    own: true,
    answer: { as: "envelope", data: z.array(payLimit) },
  }),
};

export const feedback = z.object({
  id: recordId(),
  feedbackPersonIdentify: personal("card", z.string()).describe("Card number of the student"),
  feedbackPersonName: z.string(),
  feedbackPersonPhone: personal("phone", z.string()),
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

const id = z.object({ id: recordId() });
const feedbackAt = "/tuitionpayment/feedbackmsg";

/** Feedback: what a student says, and what becomes of it. */
export const feedbackEndpoints = {
  saveFeedback: endpoint({
    method: "POST",
    url: `${feedbackAt}/save`,
    summary: "Give feedback",
    access: { who: "guest", guests: students, mostPerMinute: "open" },
    body: z.object({
      feedbackPersonName: requiredText(64).meta({ examples: ["张三"] }),
      feedbackPersonPhone: phoneNumber().meta({ examples: ["555 0100 0001"] }),
      feedbackInfo: requiredText(512),
    }),
    answer: { as: "envelope", data: decimal() },
    idempotent: true,
  }),
  listOwnFeedback: endpoint({
    method: "GET",
    url: `${feedbackAt}/listOfCurrentUser`,
    summary: "List one's own feedback, newest first",
    access: { who: "guest", guests: students },
    query: z.object(listQuery("curPage", feedbackFields)),
    answer: { as: "envelope", data: pageOf(feedback) },
  }),
  deleteFeedback: endpoint({
    method: "DELETE",
    url: `${feedbackAt}/delete/:id`,
    summary: "Delete one's own feedback",
    access: { who: "guest", guests: students },
    params: id,
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound"],
  }),
  listFeedback: endpoint({
    method: "GET",
    url: `${feedbackAt}/list`,
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
    url: `${feedbackAt}/counts`,
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
    url: `${feedbackAt}/info/:id`,
    summary: "One feedback",
    access: administrators,
    params: id,
    answer: { as: "envelope", data: feedback },
    problems: ["notFound"],
  }),
  processFeedback: endpoint({
    method: "PUT",
    url: `${feedbackAt}/info/:id`,
    summary: "Mark feedback as processed",
    access: administrators,
    params: id,
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound", "notAllowedNow"],
  }),
};

export const endpoints = {
  ...administratorEndpoints,
  ...payLimitEndpoints,
  ...feedbackEndpoints,
  ...studentEndpoints,
  ...payableEndpoints,
  ...payableFileEndpoints,
  ...payableChangeEndpoints,
  ...adjustmentEndpoints,
  ...journalEndpoints,
  ...orderEndpoints,
  ...linkEndpoints,
  ...refundEndpoints,
  ...manyRefundEndpoints,
  ...deskEndpoints,
};

export const tuitionPayment: ServiceContract<typeof endpoints> = {
  name: "tuition-payment",
  title: { zh: "学费缴纳", en: "Tuition payment" },
  about: {
    zh: "缴费信息、年级缴费开关与意见反馈",
    en: "What students have to pay, which grades can pay, and feedback",
  },
  color: "#d97706",
  dimensions,
  problems: sharedProblems,
  endpoints,
};
