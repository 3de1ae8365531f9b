import * as z from "zod";
import { accountEndpoints, loginBody } from "#platform/accounts/endpoints.ts";
import { endpoint, type ServiceContract } from "#platform/contract/endpoint.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import {
  dateTime,
  decimal,
  freeText,
  listQuery,
  oneOfNumbers,
  pageOf,
  passesOver,
  period,
  phoneNumber,
  recordId,
  requiredText,
} from "#platform/contract/wire.ts";

/** What a submitter sends, and a list gives back. */
const submission = {
  name: requiredText(32)
    .describe("Submitter's name")
    .meta({ examples: ["张三"] }),
  phone: phoneNumber()
    .describe("Submitter's phone number")
    .meta({ examples: ["555 0100 0001"] }),
  wxPhone: freeText(32).optional().describe("Phone number bound to the messaging platform"),
  company: requiredText(128)
    .describe("Organisation")
    .meta({ examples: ["示例科技有限公司"] }),
  customerName: requiredText(128)
    .describe("Customer")
    .meta({ examples: ["示例大学"] }),
  entryName: requiredText(128)
    .describe("Project")
    .meta({ examples: ["智慧教室建设项目"] }),
  projectAmount: requiredText(64)
    .describe("Project amount")
    .meta({ examples: ["120万元"] }),
  tenderTime: dateTime().describe("Expected tender time"),
  content: freeText(4000).optional().describe("Basic description of the project"),
  parameters: freeText(4000).optional().describe("Bid-control parameters"),
  trade: requiredText(64)
    .describe("Industry")
    .meta({ examples: ["教育"] }),
  licensing: requiredText(64)
    .describe("Whether authorised")
    .meta({ examples: ["是"] }),
  product: freeText(64).optional().describe("Product"),
  bProduct: z
    .array(requiredText(64))
    .min(1)
    .max(50)
    .describe("Product types")
    .meta({ examples: [["交换机", "服务器"]] }),
  bFile: z.array(freeText(256)).max(20).optional().describe("References of uploaded files"),
  file: freeText(256).optional().describe("Reference of an uploaded file"),
};

export const newReport = z.object({
  ...submission,
  code: freeText(255)
    .optional()
    .describe("Authorization code of the messaging platform, for messages to the submitter"),
});

const nullable = <T extends z.ZodType>(schema: T) => schema.nullable();

/** One report as the list gives it; what was never given is null. */
export const report = z.object({
  id: recordId(),
  name: z.string(),
  phone: z.string(),
  wxPhone: nullable(z.string()),
  company: z.string(),
  customerName: z.string(),
  entryName: z.string(),
  projectAmount: z.string(),
  tenderTime: dateTime(),
  content: nullable(z.string()),
  parameters: nullable(z.string()),
  trade: z.string(),
  licensing: z.string(),
  product: nullable(z.string()),
  bProduct: z.array(z.string()),
  bFile: nullable(z.array(z.string())),
  file: nullable(z.string()),
  status: oneOfNumbers([0, 1]).describe("0 closed, 1 in progress"),
  delStatus: oneOfNumbers([0, 1]).describe("0 deleted, 1 normal"),
  valid: oneOfNumbers([0, 1, 2]).describe("0 not judged, 1 valid, 2 invalid"),
  ps: nullable(z.string()).describe("Remark of the last verdict"),
  reportingTime: dateTime(),
  updateTime: dateTime(),
});

const what = ["submitted", "judged", "closed", "deleted"] as const;

/** One report with what has happened to it. */
export const reportWithHistory = report.extend({
  receipt: z.string().describe("The submitter's receipt, to be passed on; an addition of this platform"),
  events: z
    .array(
      z.object({
        time: dateTime(),
        what: z.enum([...what, "messageSent", "messageRefused"]),
        by: z
          .object({ userName: z.string(), name: z.string() })
          .nullable()
          .describe("The administrator, as they were called then; null: the submitter, or the server by itself"),
        valid: oneOfNumbers([1, 2]).nullable().describe("Of judged: 1 valid, 2 invalid"),
        ps: nullable(z.string()).describe("Of judged: the remark"),
      }),
    )
    .describe("Oldest first"),
});

/** What a receipt shows of its report. */
export const receiptOfReport = report
  .pick({ entryName: true, reportingTime: true, status: true, delStatus: true, valid: true, ps: true })
  .extend({ changes: z.array(z.object({ what: z.enum(what), time: dateTime() })).describe("Oldest first") });

export type ReportField = keyof z.output<typeof report>;

const reportFields = Object.keys(report.shape) as [ReportField, ...ReportField[]];

export const administrator = z.object({
  id: recordId(),
  userName: z.string(),
  name: z.string(),
  password: z.null().describe("Never returned"),
  adminType: oneOfNumbers([1, 2]).describe("1 super administrator, 2 administrator"),
  time: dateTime().describe("Creation time"),
  status: oneOfNumbers([0, 1]).describe("0 disabled, 1 normal"),
});

const administratorFields = ["id", "userName", "name", "adminType", "time", "status"] as const;
export type AdministratorField = (typeof administratorFields)[number];

const caller = {
  id: recordId().optional().describe("Caller's id; the token says who calls"),
  name: freeText(255).optional().describe("Caller's name; the token says who calls"),
};
const itemId = recordId().optional().describe("The report");

const verdict = z.object({
  ...caller,
  itemId,
  ps: freeText(200).optional().describe("Remark of the subscription message"),
});

const reportFilter = {
  name: freeText(255).optional(),
  company: freeText(255).optional(),
  trade: freeText(255).optional(),
  reportingTime: period().optional().describe("Creation time"),
  valid: oneOfNumbers([0, 1, 2]).optional().describe("0 not judged, 1 valid, 2 invalid; an addition of this platform"),
  keyword: freeText(255)
    .optional()
    .describe("Anywhere in entryName, customerName or phone; an addition of this platform"),
};

const administratorBody = {
  userName: requiredText(),
  name: requiredText(),
  password: z
    .string()
    .meta({ minLength: 8, maxLength: 128 })
    .optional()
    .describe("8 to 128 characters; none: nobody can log in until one is set"),
  adminType: oneOfNumbers([1, 2]).optional(),
  status: oneOfNumbers([0, 1]).optional(),
};

const text = decimal();
const code = freeText(1024).optional().describe("Authorization code");
const prefix = "/reporting/informationReporting";

export const endpoints = {
  uploadFile: endpoint({
    method: "POST",
    url: "/reporting/file/fileUpDown",
    summary: "Upload a file; data is the path that serves it, or its address where PUBLIC_URL is set",
    access: { who: "anyone", limit: "open" },
    upload: { limit: "upload" },
    answer: { as: "envelope", data: z.string() },
    idempotent: true,
    problems: ["notAllowedNow"],
  }),
  readFile: endpoint({
    method: "GET",
    url: "/reporting/file/:name",
    summary: "Read an uploaded file",
    access: { who: "anyone" },
    params: z.object({ name: freeText(255) }),
    answer: { as: "file", mime: "application/octet-stream" },
    problems: ["notFound"],
    own: true,
  }),
  addReport: endpoint({
    method: "POST",
    url: `${prefix}/add`,
    summary: "Submit a report",
    access: { who: "anyone", limit: "open" },
    body: newReport,
    answer: { as: "envelope", data: text },
    answerHeaders: {
      report_receipt: "The submitter's receipt: with it, and with nothing else, the state of the report can be read",
    },
    idempotent: true,
  }),
  readReceipt: endpoint({
    method: "GET",
    url: `${prefix}/receipt/:receipt`,
    summary: "The state of a report, a deleted one too, for whoever has its receipt",
    access: { who: "anyone", limit: "open" },
    params: z.object({ receipt: freeText(255).meta({ examples: ["0123456789abcdef0123456789abcdef"] }) }),
    answer: { as: "envelope", data: receiptOfReport },
    problems: ["notFound"],
    own: true,
  }),
  deleteReports: endpoint({
    method: "DELETE",
    url: `${prefix}/delete`,
    summary: "Delete reports; those that are not normal are passed over",
    access: { who: "administrator" },
    body: z.object({ ...caller, ids: z.array(recordId()).max(10_000).optional() }),
    answer: { as: "envelope", data: text },
    problems: ["idMissing", "notFound"],
  }),
  closeReport: endpoint({
    method: "DELETE",
    url: `${prefix}/close`,
    summary: "Close a report that is in progress",
    access: { who: "administrator" },
    body: z.object({ ...caller, itemId }),
    answer: { as: "envelope", data: text },
    problems: ["idMissing", "notFound", "notAllowedNow"],
  }),
  markValid: endpoint({
    method: "DELETE",
    url: `${prefix}/valid`,
    summary: "Judge a report valid and tell its submitter",
    access: { who: "administrator" },
    body: verdict,
    answer: { as: "envelope", data: text },
    problems: ["idMissing", "notFound", "notAllowedNow"],
  }),
  markInvalid: endpoint({
    method: "DELETE",
    url: `${prefix}/invalid`,
    summary: "Judge a report invalid and tell its submitter",
    access: { who: "administrator" },
    body: verdict,
    answer: { as: "envelope", data: text },
    problems: ["idMissing", "notFound", "notAllowedNow"],
  }),
  listReports: endpoint({
    method: "GET",
    url: `${prefix}/list`,
    summary: "List reports, newest first",
    access: { who: "administrator" },
    query: z.object({
      ...reportFilter,
      delStatus: oneOfNumbers([0, 1]).optional().describe("0 deleted, 1 normal; left out: normal"),
      status: oneOfNumbers([0, 1]).optional().describe("0 closed, 1 in progress"),
      ...listQuery("currPage", reportFields),
    }),
    answer: { as: "envelope", data: pageOf(report) },
    problems: ["notAllowedNow"],
  }),
  readReport: endpoint({
    method: "GET",
    url: `${prefix}/info/:itemId`,
    summary: "Read one report, a deleted one too, with its history",
    access: { who: "administrator" },
    params: z.object({ itemId: recordId() }),
    answer: { as: "envelope", data: reportWithHistory },
    problems: ["notFound"],
    own: true,
  }),
  downloadReports: endpoint({
    method: "GET",
    url: `${prefix}/download`,
    summary: "Export reports as a workbook",
    access: { who: "download" },
    query: z.object({
      ...reportFilter,
      ids: z.array(recordId()).max(10_000).optional(),
      status: oneOfNumbers([0, 1, 2])
        .optional()
        .describe("0 deleted, 1 in progress, 2 closed; left out: all that are not deleted"),
      ticket: freeText(255).optional().describe("A single-use ticket in place of the token"),
    }),
    answer: { as: "file", mime: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", streamed: true },
  }),
  issueDownloadTicket: endpoint({
    method: "POST",
    url: `${prefix}/downloadTicket`,
    summary: "A ticket for one export within a minute, for links that cannot carry a header",
    access: { who: "administrator" },
    answer: { as: "envelope", data: z.string() },
    holdsSecret: true,
    own: true,
  }),
  login: endpoint({
    method: "POST",
    url: "/reporting/user/login",
    summary: "Log in; the token also comes as the header admin_token",
    access: { who: "anyone", limit: "login" },
    body: loginBody,
    form: true,
    answer: {
      as: "envelope",
      data: administrator.extend({ token: z.string(), expireTime: z.int().describe("Epoch milliseconds") }),
    },
    holdsSecret: true,
    problems: ["loginFailed", "accountLocked", "forbidden"],
  }),
  addAdministrator: endpoint({
    method: "POST",
    changesAccounts: true,
    url: "/reporting/user/add",
    summary: "Add an administrator",
    access: { who: "super" },
    body: passesOver(z.object(administratorBody), { id: "id" }),
    answer: { as: "envelope", data: text },
    idempotent: true,
    problems: ["alreadyExists"],
  }),
  deleteAdministrators: endpoint({
    method: "DELETE",
    changesAccounts: true,
    url: "/reporting/user/delete",
    summary: "Delete administrators",
    access: { who: "super" },
    body: z.object({ ids: z.array(recordId()).max(10_000).optional() }),
    answer: { as: "envelope", data: text },
    problems: ["idMissing", "notFound", "forbidden"],
  }),
  updateAdministrator: endpoint({
    method: "PUT",
    changesAccounts: true,
    url: "/reporting/user/update",
    summary: "Change an administrator; what is left out stays",
    access: { who: "super" },
    body: z.object({
      ...administratorBody,
      id: recordId().optional(),
      userName: requiredText().optional(),
      name: requiredText().optional(),
    }),
    answer: { as: "envelope", data: text },
    problems: ["idMissing", "notFound", "alreadyExists", "forbidden"],
  }),
  listAdministrators: endpoint({
    method: "GET",
    url: "/reporting/user/list",
    summary: "List administrators, newest first",
    access: { who: "administrator" },
    query: z.object({
      userName: freeText(255).optional(),
      name: freeText(255).optional(),
      time: period().optional().describe("Creation time"),
      ...listQuery("currPage", administratorFields),
    }),
    answer: { as: "envelope", data: pageOf(administrator) },
    problems: ["notAllowedNow"],
  }),
  ...accountEndpoints("/reporting/user"),
  findPhone: endpoint({
    method: "GET",
    url: "/reporting/wx/getPhone",
    summary: "The phone number that an authorization code stands for",
    access: { who: "anyone", limit: "open" },
    query: z.object({ code, state: freeText(255).optional() }),
    answer: { as: "envelope", data: z.string() },
    problems: ["outsideNotConfigured", "outsideFailed", "notFound", "notAllowedNow"],
  }),
  findOpenId: endpoint({
    method: "GET",
    url: "/reporting/wx/getOpenId",
    summary: "The open identifier that an authorization code stands for, as plain text",
    access: { who: "anyone", limit: "open" },
    query: z.object({ code }),
    answer: { as: "text", example: "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o" },
    problems: ["outsideNotConfigured", "outsideFailed", "notAllowedNow"],
  }),
};

export const reporting: ServiceContract<typeof endpoints> = {
  name: "reporting",
  title: { zh: "项目报备", en: "Reporting" },
  about: { zh: "提交、审核、导出项目报备", en: "Project reports: submitted, judged and exported" },
  problems: sharedProblems,
  endpoints,
};
