import * as z from "zod";
import { under } from "#platform/contract/endpoint.ts";
import { freeText, oneOfNumbers, pageOf, pageQuery, requiredText } from "#platform/contract/wire.ts";
import { noticePreference } from "#platform/notices/contract.ts";
import { newObjection, ownObjection } from "#services/attendance/objections/contract.ts";
import { explanation, month, summaryRow } from "#services/attendance/record-contract.ts";
import { employees } from "./guests-contract.ts";

const ownMonth = z.object({
  month: z.string(),
  groupOfCheck: z.string().describe("Attendance group, which distinguishes several rows of the employee in a month"),
  statu: oneOfNumbers([0, 1, 2, 3]).describe("State of the analysis: 0 not started, 1 running, 2 finished, 3 failed"),
  locked: z.boolean(),
  confirmed: z.boolean().describe("Whether the employee has confirmed the current row"),
  openObjections: z.int(),
});

const { figures, extra, corrections, days, bucketEdges } = explanation.shape;
const ownRow = summaryRow.omit({ idCard: true }).extend({
  month: z.string(),
  days,
  bucketEdges,
  explain: figures,
  extra,
  corrections,
});

const whichRow = z.object({
  month: month(),
  groupOfCheck: freeText().optional().describe("Attendance group, if the employee has several rows in the month"),
});
const prefix = "/attendance/own";
const own = under(prefix, { access: { who: "guest", guests: employees }, own: true });
const limited = under(prefix, { access: { who: "guest", guests: employees, mostPerMinute: "open" }, own: true });

export const ownEndpoints = {
  loginEmployee: under(prefix).post("/login", {
    summary: "Exchange the campus platform's authorization code for an employee's token (EMPLOYEE_IDENTITY=campus)",
    access: { who: "anyone", limit: "open" },
    own: true,
    body: z.object({ code: requiredText(1024).describe("wxcode of the campus platform; can be used once") }),
    form: true,
    data: z.object({
      employeeNo: z.string().describe("Send as the header employee_no"),
      token: z.string().describe("Send as the header employee_token"),
      expireTime: z.int().describe("Epoch milliseconds"),
    }),
    holdsSecret: true,
    problems: ["notAllowedNow", "forbidden", "outsideNotConfigured", "outsideFailed"],
  }),
  listOwnMonths: own.get("/months", {
    summary: "List the months in which the employee has a row, newest first",
    data: z.array(ownMonth),
    problems: ["notAllowedNow"],
  }),
  readOwnMonth: own.get("/month", {
    summary: "Read the employee's own row of an analysed month, with the records behind each figure",
    query: whichRow,
    data: ownRow,
    problems: ["notFound", "notAllowedNow"],
  }),
  uploadOwnFile: limited.post("/upload", {
    summary: "Upload a file for an objection; `data` is the file name",
    upload: { limit: "upload" },
    idempotent: true,
    data: z.string(),
    problems: ["outsideFailed"],
  }),
  object: limited.post("/objection", {
    summary: "Raise an objection to the record of a day",
    body: newObjection,
    data: ownObjection,
    idempotent: true,
    problems: ["notFound", "alreadyExists", "notAllowedNow"],
  }),
  listOwnObjections: own.get("/objections", {
    summary: "List the employee's own objections with their outcomes, newest first",
    query: z.object(pageQuery("curPage")),
    data: pageOf(ownObjection),
    problems: ["notAllowedNow"],
  }),
  confirmMonth: own.put("/confirm", {
    summary: "Confirm the employee's own row; if a later analysis changes the row, the confirmation is withdrawn",
    body: whichRow,
    problems: ["notFound", "notAllowedNow"],
  }),
  readOwnNotices: own.get("/notices", {
    summary: "Read whether the employee gets notices about their attendance",
    data: noticePreference,
    problems: ["notFound", "notAllowedNow"],
  }),
  changeOwnNotices: own.put("/notices", {
    summary: "Turn notices about the employee's own attendance on or off",
    body: noticePreference,
    problems: ["notFound", "notAllowedNow"],
  }),
};
