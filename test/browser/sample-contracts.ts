import * as z from "zod";
import { endpoint, type ServiceContract } from "#platform/contract/endpoint.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import {
  dateTime,
  decimal,
  freeText,
  listQuery,
  oneOfNumbers,
  pageOf,
  patternText,
  recordId,
  requiredText,
} from "#platform/contract/wire.ts";

// Contracts that use every feature of an operation once, for the tests of what describes and shows them.

const report = z.object({
  id: recordId(),
  name: requiredText(32).describe("Who reports"),
  phone: patternText(/^[\d +()-]{5,32}$/, 32, { zh: "应为电话号码", en: "must be a phone number" }),
  company: freeText(128).optional(),
  status: oneOfNumbers([0, 1]).describe("0 in progress, 1 closed"),
  reportingTime: dateTime().nullable(),
  bProduct: z.array(freeText(64)).min(1).max(50),
});

interface Department {
  name: string;
  children: Department[];
}
const department: z.ZodType<Department> = z.object({
  name: z.string(),
  children: z.lazy(() => z.array(department)),
});

const reporting: ServiceContract = {
  name: "reporting",
  title: { zh: "项目报备 · Reporting", en: "项目报备 · Reporting" },
  about: { zh: "项目报备 · Reporting", en: "项目报备 · Reporting" },
  problems: sharedProblems,
  endpoints: {
    login: endpoint({
      method: "POST",
      url: "/reporting/user/login",
      summary: "Log in",
      access: { who: "anyone", limit: "login" },
      body: z.object({ userName: requiredText(), password: requiredText() }),
      form: true,
      answer: { as: "envelope", data: z.object({ token: z.string(), expireTime: z.int() }) },
    }),
    add: endpoint({
      method: "POST",
      url: "/reporting/informationReporting/add",
      summary: "Submit a report",
      access: { who: "anyone", limit: "open" },
      body: report.omit({ id: true }).extend({ status: z.literal(["0", "1"]).default("1") }),
      answer: { as: "envelope", data: decimal() },
      idempotent: true,
      problems: ["alreadyExists"],
    }),
    list: endpoint({
      method: "GET",
      url: "/reporting/informationReporting/list",
      summary: "List reports",
      access: { who: "administrator" },
      query: z.object({
        ...listQuery("currPage", ["reportingTime", "name"]),
        name: freeText().optional(),
        ids: z.array(recordId()).optional().describe("Only these"),
      }),
      answer: { as: "envelope", data: pageOf(report) },
    }),
    info: endpoint({
      method: "GET",
      url: "/reporting/informationReporting/info/:itemId",
      summary: "Read one report",
      access: { who: "administrator", headerUndocumented: true },
      params: z.object({ itemId: recordId() }),
      answer: { as: "envelope", data: report },
      problems: ["notFound"],
    }),
    remove: endpoint({
      method: "DELETE",
      url: "/reporting/informationReporting/delete",
      summary: "Delete reports",
      access: { who: "super" },
      body: z.array(recordId()),
      answer: { as: "envelope", data: decimal() },
      problems: ["idMissing", "notFound"],
    }),
    download: endpoint({
      method: "GET",
      url: "/reporting/informationReporting/download",
      summary: "Export reports as a workbook",
      access: { who: "download" },
      query: z.object({ ids: z.array(recordId()).optional() }),
      answer: {
        as: "file",
        mime: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      },
    }),
    upload: endpoint({
      method: "POST",
      url: "/reporting/file/fileUpDown",
      summary: "Upload an image",
      access: { who: "anyone", limit: "open" },
      upload: { limit: "upload", imagesOnly: true },
      answer: { as: "envelope", data: z.string() },
    }),
    openId: endpoint({
      method: "GET",
      url: "/reporting/wx/getOpenId",
      summary: "Look up an open identifier",
      access: { who: "anyone", limit: "open" },
      query: z.object({ code: requiredText() }),
      answer: { as: "text", example: "o6_bmjrPTlm6_2sgVt7hMZOPfL2M" },
      problems: ["outsideNotConfigured", "outsideFailed"],
    }),
  },
};

const pushRelay: ServiceContract = {
  name: "push-relay",
  title: { zh: "消息推送 · Push relay", en: "消息推送 · Push relay" },
  about: { zh: "消息推送 · Push relay", en: "消息推送 · Push relay" },
  problems: {
    ...sharedProblems,
    badFormat: { code: "11001", status: 400, zh: "参数错误", en: "Wrong parameters" },
    bodyEmpty: { code: "11002", status: 400, zh: "请求体为空", en: "The request body is empty" },
  },
  endpoints: {
    receive: endpoint({
      method: "POST",
      url: "/wx/wxc/receive",
      summary: "Accept a push",
      access: { who: "anyone" },
      body: z.object({ to: z.array(z.string()).min(1), content: z.record(z.string(), z.string()) }),
      bodyLimitBytes: 8 * 1024 * 1024,
      answer: { as: "envelope", data: z.null() },
    }),
  },
};

const platform: ServiceContract = {
  name: "platform",
  title: { zh: "平台 · Platform", en: "平台 · Platform" },
  about: { zh: "平台 · Platform", en: "平台 · Platform" },
  problems: sharedProblems,
  endpoints: {
    version: endpoint({
      method: "GET",
      url: "/platform/version",
      summary: "Which version answers",
      access: { who: "anyone" },
      answer: { as: "envelope", data: z.object({ version: z.string() }) },
      own: true,
    }),
    departments: endpoint({
      method: "GET",
      url: "/platform/departments",
      summary: "The tree of departments",
      access: { who: "operator" },
      answer: { as: "envelope", data: department },
      own: true,
    }),
  },
};

export const sampleContracts: readonly ServiceContract[] = [reporting, pushRelay, platform];
