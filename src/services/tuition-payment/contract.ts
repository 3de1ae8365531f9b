import * as z from "zod";
import {
  accountEndpoints,
  administratorEndpoints as sharedEndpoints,
  fromSignOn,
  loginEndpoint,
  rights as codes,
  session,
} from "#platform/accounts/administrator-contract.ts";
import { type ServiceContract, under } from "#platform/contract/endpoint.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import { rightsField } from "#platform/contract/rights.ts";
import { scopeField } from "#platform/contract/scope.ts";
import { recordId, requiredText } from "#platform/contract/wire.ts";
import { studentAccountEndpoints } from "./account/contract.ts";
import { adjustmentEndpoints } from "./adjustments/contract.ts";
import { students } from "./cards/contract.ts";
import { feedbackEndpoints } from "./feedback-contract.ts";
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
    summary: "Log in; the token is also sent in the response header admin_token",
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
  gradeName: z.string().describe("Display name of the grade, such as 2022级"),
  grade: z.string().describe("Grade as in payables, such as 2022"),
  enablePay: z.enum(["1", "2"]).describe("1 payment allowed, 2 not allowed"),
});

const administrators = { who: "administrator" } as const;
const { get, put } = under("/enablePayLimit");

export const payLimitEndpoints = {
  listPayLimits: get("/list", {
    summary: "List all grades and whether payment is allowed for each",
    access: administrators,
    scoped: true,
    data: z.array(payLimit),
  }),
  setPayLimit: put("/setting/:settingId/:enablePay", {
    summary: "Set whether payment is allowed for a grade",
    group: "money",
    access: administrators,
    params: z.object({
      settingId: recordId(),
      enablePay: z.enum(["1", "2"]).describe("1 payment allowed, 2 not allowed"),
    }),
    problems: ["gradeNotFound"],
  }),
  listOwnPayLimits: get("/own", {
    summary: "List the grades of the student's own payables and whether payment is allowed for each",
    access: { who: "guest", guests: students },
    own: true,
    data: z.array(payLimit),
  }),
};

export const endpoints = {
  ...administratorEndpoints,
  ...payLimitEndpoints,
  ...feedbackEndpoints,
  ...studentAccountEndpoints,
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
    en: "Payables, grades that may pay, and feedback",
  },
  color: "#d97706",
  dimensions,
  problems: sharedProblems,
  endpoints,
};
