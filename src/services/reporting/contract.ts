import * as z from "zod";
import { accountEndpoints, fromSignOn, loginEndpoint, session } from "#platform/accounts/administrator-contract.ts";
import { type ServiceContract, workbookMime, under } from "#platform/contract/endpoint.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import { rightsField } from "#platform/contract/rights.ts";
import { scopeField } from "#platform/contract/scope.ts";
import {
  dateTime,
  freeText,
  listQuery,
  oneOfNumbers,
  pageOf,
  pageQuery,
  ignoresFields,
  period,
  recordId,
  requiredText,
} from "#platform/contract/wire.ts";
import {
  newReport,
  ownReport,
  receiptOfReport,
  report,
  reportFields,
  reportFilter,
  reportWithHistory,
  reviewedReport,
  similarReport,
  submitterHeaders,
  supplement,
  supplementedReport,
} from "./report-contract.ts";
import { dimensions } from "./scope-contract.ts";

const rights = rightsField(["reporting"]).optional();
const scope = scopeField(Object.keys(dimensions)).optional();

const administrator = z.object({
  id: recordId(),
  userName: z.string(),
  name: z.string(),
  password: z.null().describe("Never returned"),
  adminType: oneOfNumbers([1, 2]).describe("1 super administrator, 2 administrator"),
  time: dateTime().describe("Creation time"),
  status: oneOfNumbers([0, 1]).describe("0 disabled, 1 normal"),
  rights,
  scope,
  fromSignOn,
});

const administratorFields = ["id", "userName", "name", "adminType", "time", "status"] as const;

const administratorBody = {
  userName: requiredText(),
  name: requiredText(),
  password: z
    .string()
    .meta({ minLength: 8, maxLength: 128 })
    .optional()
    .describe("8 to 128 characters; if omitted, the account cannot log in until a password is set"),
  adminType: oneOfNumbers([1, 2]).optional(),
  status: oneOfNumbers([0, 1]).optional(),
  rights,
  scope,
};

const caller = {
  id: recordId().optional().describe("Ignored; the token identifies the caller"),
  name: freeText(255).optional().describe("Ignored; the token identifies the caller"),
};
const itemId = recordId().optional().describe("Id of the report");

const verdict = z.object({
  ...caller,
  itemId,
  ps: freeText(200).optional().describe("Remark, also used in the message to the submitter"),
});

const receipt = z.object({
  receipt: freeText(255).meta({ examples: ["0123456789abcdef0123456789abcdef"] }),
});

const listOfReports = z.object({
  ...reportFilter,
  delStatus: oneOfNumbers([0, 1]).optional().describe("0 deleted, 1 normal; default: normal"),
  status: oneOfNumbers([0, 1]).optional().describe("0 closed, 1 in progress"),
  ...listQuery("currPage", reportFields),
});

const reasons = z.array(requiredText(200)).max(9);

const code = freeText(1024).optional().describe("Authorization code");
const prefix = "/reporting";
const { get, put } = under(prefix);
const open = under(prefix, { access: { who: "anyone", limit: "open" } });
const scoped = under(prefix, { access: { who: "administrator" }, scoped: true });
const bySuper = under(prefix, { access: { who: "super" }, changesAccounts: true, secondFactor: "again" });

export const endpoints = {
  uploadFile: open.post("/file/fileUpDown", {
    summary: "Upload a file; data is its path, or its address if PUBLIC_URL is set",
    upload: { limit: "upload" },
    data: z.string(),
    idempotent: true,
    problems: ["outsideFailed"],
  }),
  readFile: get("/file/:name", {
    scoped: true,
    summary:
      "Read an uploaded file; until its report is marked as valid, only administrators and holders of the receipt can read it",
    access: { who: "anyone", orAdministrator: true },
    params: z.object({ name: freeText(255) }),
    query: z.object({ receipt: freeText(64).optional().describe("Receipt of a report with the file") }),
    answer: { as: "file", mime: "application/octet-stream" },
    problems: ["notFound", "outsideFailed"],
    own: true,
  }),
  addReport: open.post("/informationReporting/add", {
    summary: "Submit a report",
    body: newReport,
    headers: submitterHeaders,
    answerHeaders: {
      report_receipt: "Receipt of the report, with which anyone can read the report's state",
    },
    idempotent: true,
    problems: ["tokenEmpty", "tokenInvalid"],
  }),
  readReceipt: open.get("/informationReporting/receipt/:receipt", {
    summary: "Read the state of a report, including a deleted one, with its receipt",
    params: receipt,
    data: receiptOfReport,
    problems: ["notFound"],
    own: true,
  }),
  readSupplement: open.get("/informationReporting/supplement/:receipt", {
    summary: "Read the fields of a returned report with its receipt",
    params: receipt,
    data: supplementedReport,
    problems: ["notFound", "notAllowedNow"],
    own: true,
  }),
  supplementReport: open.put("/informationReporting/supplement/:receipt", {
    summary: "Supplement a returned report, which is then reviewed again; omitted fields are unchanged",
    params: receipt,
    body: supplement,
    problems: ["notFound", "notAllowedNow"],
    own: true,
  }),
  listOwnReports: open.get("/informationReporting/mine", {
    summary: "List the submitter's own reports, including deleted ones, newest first",
    headers: submitterHeaders,
    query: z.object(pageQuery("currPage")),
    data: pageOf(ownReport),
    problems: ["headerMissing", "tokenEmpty", "tokenInvalid"],
    own: true,
  }),
  deleteReports: scoped.remove("/informationReporting/delete", {
    summary: "Delete reports; already deleted ones are skipped",
    body: z.object({ ...caller, ids: z.array(recordId()).max(10_000).optional() }),
    problems: ["idMissing", "notFound"],
  }),
  closeReport: scoped.remove("/informationReporting/close", {
    summary: "Close a report in progress",
    body: z.object({ ...caller, itemId }),
    problems: ["idMissing", "notFound", "notAllowedNow"],
  }),
  markValid: scoped.remove("/informationReporting/valid", {
    summary: "Mark a report as valid; the submitter is notified if they can receive messages",
    body: verdict,
    problems: ["idMissing", "notFound", "notAllowedNow"],
  }),
  markInvalid: scoped.remove("/informationReporting/invalid", {
    summary: "Mark a report as invalid; the submitter is notified if they can receive messages",
    body: verdict,
    problems: ["idMissing", "notFound", "notAllowedNow"],
  }),
  markReturned: scoped.put("/informationReporting/returned", {
    summary: "Return a report in progress to its submitter, who can supplement it with the receipt",
    body: z.object({ itemId, ps: requiredText(200).describe("What the submitter should supplement") }),
    problems: ["idMissing", "notFound", "notAllowedNow"],
    own: true,
  }),
  listReasons: scoped.get("/informationReporting/reasons", {
    summary: "List the common reasons, in the order of the console's shortcut keys 1 to 9",
    data: reasons,
    own: true,
  }),
  setReasons: put("/informationReporting/reasons", {
    summary: "Replace the common reasons",
    access: { who: "administrator" },
    body: z.object({ reasons }),
    own: true,
  }),
  listReports: scoped.get("/informationReporting/list", {
    summary: "List reports, newest first",
    query: listOfReports,
    data: pageOf(report),
    problems: ["notAllowedNow"],
  }),
  reviewReports: scoped.get("/informationReporting/review", {
    summary: "List reports as `list` does, but distinguish returned reports from those not judged",
    query: listOfReports,
    data: pageOf(reviewedReport),
    problems: ["notAllowedNow"],
    own: true,
  }),
  readReport: scoped.get("/informationReporting/info/:itemId", {
    summary: "Read a report, including a deleted one, with its history",
    params: z.object({ itemId: recordId() }),
    data: reportWithHistory,
    problems: ["notFound"],
    own: true,
  }),
  listSimilar: scoped.get("/informationReporting/similar/:itemId", {
    summary: "List up to five other reports that may concern the same project, most similar first",
    params: z.object({ itemId: recordId() }),
    data: z.array(similarReport),
    problems: ["notFound"],
    own: true,
  }),
  downloadReports: get("/informationReporting/download", {
    scoped: true,
    summary: "Export reports as a workbook",
    access: { who: "download" },
    query: z.object({
      ...reportFilter,
      ids: z.array(recordId()).max(10_000).optional(),
      status: oneOfNumbers([0, 1, 2])
        .optional()
        .describe("0 deleted, 1 in progress, 2 closed; default: all except deleted ones"),
      ticket: freeText(255).optional().describe("A single-use ticket instead of the token"),
    }),
    answer: { as: "file", mime: workbookMime, streamed: true },
  }),
  issueDownloadTicket: scoped.post("/informationReporting/downloadTicket", {
    summary: "Create a ticket with which a link can start one export within a minute, since links cannot send headers",
    group: "export",
    data: z.string(),
    holdsSecret: true,
    own: true,
  }),
  login: loginEndpoint("/reporting/user", {
    summary: "Log in; the token is also sent in the response header admin_token",
    data: administrator.extend(session),
  }),
  addAdministrator: bySuper.post("/user/add", {
    summary: "Add an administrator",
    body: ignoresFields(z.object(administratorBody), { id: "id" }),
    idempotent: true,
    problems: ["alreadyExists"],
  }),
  deleteAdministrators: bySuper.remove("/user/delete", {
    summary: "Delete administrators",
    body: z.object({ ids: z.array(recordId()).max(10_000).optional() }),
    problems: ["idMissing", "notFound", "forbidden"],
  }),
  updateAdministrator: bySuper.put("/user/update", {
    summary: "Change an administrator; omitted fields are unchanged",
    body: z.object({
      ...administratorBody,
      id: recordId().optional(),
      userName: requiredText().optional(),
      name: requiredText().optional(),
    }),
    problems: ["idMissing", "notFound", "alreadyExists", "forbidden"],
  }),
  listAdministrators: get("/user/list", {
    summary: "List administrators, newest first",
    group: "accounts",
    access: { who: "administrator" },
    query: z.object({
      userName: freeText(255).optional(),
      name: freeText(255).optional(),
      time: period().optional().describe("Creation time"),
      ...listQuery("currPage", administratorFields),
    }),
    data: pageOf(administrator),
    problems: ["notAllowedNow"],
  }),
  ...accountEndpoints("/reporting/user"),
  findPhone: open.get("/wx/getPhone", {
    summary: "Exchange an authorization code for the user's phone number",
    query: z.object({ code, state: freeText(255).optional() }),
    data: z.string(),
    problems: ["outsideNotConfigured", "outsideFailed", "notFound", "notAllowedNow"],
  }),
  findOpenId: open.get("/wx/getOpenId", {
    summary: "Exchange an authorization code for the user's openid, as plain text",
    query: z.object({ code }),
    answer: { as: "text", example: "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o" },
    problems: ["outsideNotConfigured", "outsideFailed", "notAllowedNow"],
  }),
  openSession: open.post("/wx/session", {
    summary: "Sign in a submitter for two hours with an authorization code; the openid stays on the server",
    body: z.object({ code }),
    data: z.object({
      token: z.string().describe("Send as the header report_openid_token"),
      phone: z.string().nullable().describe("Phone number, if the code also grants access to it"),
    }),
    holdsSecret: true,
    problems: ["outsideNotConfigured", "outsideFailed", "notAllowedNow"],
    own: true,
  }),
};

export const reporting: ServiceContract<typeof endpoints> = {
  name: "reporting",
  title: { zh: "项目报备", en: "Reporting" },
  about: { zh: "提交、审核、导出项目报备", en: "Submit, review and export project reports" },
  color: "#2563eb",
  dimensions,
  problems: sharedProblems,
  endpoints,
};
