import * as z from "zod";
import { type ServiceContract, workbookMime, under } from "#platform/contract/endpoint.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import { freeText, listQuery, pageOf, recordId, requiredText } from "#platform/contract/wire.ts";
import { correctionEndpoints } from "./corrections/contract.ts";
import { objectionEndpoints } from "./objections/contract.ts";
import { ownEndpoints } from "./own/contract.ts";
import {
  analysisSettings,
  analysisStatus,
  comparison,
  difference,
  explanation,
  importAnswer,
  importRecord,
  type ImportSheet,
  importSheets,
  keywordOrders,
  matchOrder,
  matchOrders,
  month,
  monthRecord,
  preview,
  recognition,
  rosterEmployee,
  rowsAnswer,
  rowsQuery,
  settingsChange,
  statusAnswer,
  titleRow,
  unmatched,
  uploadOrder,
  versionRecord,
} from "./record-contract.ts";
import { dimensions } from "./scope-contract.ts";

export type { ImportSheet } from "./record-contract.ts";

const administrator = { who: "administrator", headerUndocumented: true } as const;
const prefix = "/attendance/month";
const documented = under(prefix, { access: administrator });
const own = under(prefix, { access: { who: "administrator" }, own: true });
const scoped = under(prefix, { access: { who: "administrator" }, own: true, scoped: true });
const zipMime = "application/zip";
const chosenMonth = month().optional().describe("Default: the month of the most recently imported monthly summary");

const importChoices = z.object({
  month: month()
    .optional()
    .describe("Month of the rows if the sheet does not state it; if the sheet spans several months, the one to import"),
  allowEmpty: z
    .boolean()
    .optional()
    .describe(
      "true: accept a sheet without rows for the month, which then has no data on the days that the sheet covers",
    ),
  whole: z
    .boolean()
    .optional()
    .describe(
      "true: a sheet without a title row replaces the whole month; false (default): it replaces only the days from its first to its last day",
    ),
});

const imports = under("/attendance", {
  access: administrator,
  upload: { limit: "workbook" },
  fields: importChoices,
  answer: { as: "envelope", data: importAnswer },
  problems: ["importFailed", "notAllowedNow"],
});

const ofMonth = { query: z.object({ month: chosenMonth }) };

export const endpoints = {
  importMonth: imports.post("/month/importExcel", {
    summary: "Import the monthly summary, and the daily statistics if present",
  }),
  analyse: documented.get("/analyse", {
    summary: "Start the analysis of a month",
    group: "write",
    ...ofMonth,
    data: analysisStatus,
    problems: ["notFound", "notAllowedNow"],
  }),
  findStatus: documented.get("/queryAnalyseStatu", {
    scoped: true,
    summary: "Read whether the analysis of a month has finished",
    ...ofMonth,
    data: statusAnswer,
  }),
  download: documented.get("/downLoad", {
    scoped: true,
    summary: "Read a month's summary rows as JSON or download them as a workbook",
    query: z.object({ month: chosenMonth, ...rowsQuery }),
    answer: rowsAnswer,
    problems: ["notFound"],
  }),
  testService: documented.get("/te", {
    scoped: true,
    summary: "Check that the service is running; the response body is empty",
    answer: { as: "text", example: "" },
  }),
  findTitle: documented.get("/title", {
    scoped: true,
    summary: "Read the headings of a month's day columns, which are the days of the week",
    ...ofMonth,
    data: titleRow,
  }),
  importOriginal: imports.post("/original/importOriginal", {
    summary: "Import the raw punches of a month",
  }),
  importWork: imports.post("/work/importWork", {
    summary: "Import the employees' identity cards",
  }),

  recognise: own.post("/recognise", {
    summary: "Check which imports accept a workbook and which days they would replace, without importing it",
    upload: { limit: "workbook" },
    fields: importChoices,
    data: recognition,
  }),
  importUpload: own.post("/imports", {
    summary: "Import a recognised file without uploading it again",
    body: uploadOrder.extend(importChoices.shape),
    takesLong: true,
    data: importAnswer,
    problems: ["notFound", "importFailed", "badFile", "fileTooLarge", "notAllowedNow"],
  }),
  listImports: own.get("/imports", {
    summary: "List imports, including running ones, newest first",
    query: z.object({
      ...listQuery("curPage", ["id", "startTime"]),
      month: month().optional(),
      sheet: z.enum(importSheets).optional(),
    }),
    data: pageOf(importRecord),
  }),
  findImport: own.get("/imports/:id", {
    summary: "Read an import, running or finished",
    params: z.object({ id: recordId() }),
    data: importRecord,
    problems: ["notFound"],
  }),
  listMonths: scoped.get("/months", {
    summary: "List months with any data, newest first",
    data: z.array(monthRecord),
  }),
  explain: scoped.get("/explain", {
    summary: "Read an employee's row with the day cells and punches behind each figure",
    query: z.object({
      month: chosenMonth,
      userId: freeText().optional(),
      workNum: freeText().optional(),
      name: freeText().optional().describe("Name, for employees without a userId in the sheet"),
      groupOfCheck: freeText().optional().describe("Attendance group, if several rows have the same userId"),
    }),
    data: explanation,
    problems: ["notFound", "notAllowedNow"],
  }),
  listUnmatched: own.get("/unmatched", {
    summary: "List people missing from a sheet, unknown punch results, and addresses that match no campus",
    ...ofMonth,
    data: unmatched,
    problems: ["notFound"],
  }),
  listDifferences: scoped.get("/differences", {
    summary: "List employees whose attendance days or missing punches differ from the export, with the days",
    ...ofMonth,
    data: z.array(difference),
    problems: ["notFound"],
  }),
  listEmployees: scoped.get("/employees", {
    summary: "List a month's employees, even before the month is analysed",
    query: z.object({
      month: chosenMonth,
      keyword: freeText().optional().describe("Substring of the name, userId or number"),
      curPage: z.int().min(1).default(1),
      pageSize: z.int().min(1).max(1000).default(10),
    }),
    data: pageOf(rosterEmployee),
    problems: ["notFound"],
  }),
  match: own.put("/match", {
    summary:
      "Match a person in a sheet to an employee, or record that the person is no employee; the match also applies to later imports",
    body: matchOrder,
    problems: ["notFound", "notAllowedNow"],
  }),
  matchAll: own.put("/matches", {
    summary: "Match several people in sheets to employees as `match` does, all or nothing",
    body: matchOrders,
    problems: ["notFound", "notAllowedNow"],
  }),
  lock: own.put("/lock", {
    summary: "Lock an analysed month and return the id of the version that stores its rows",
    body: z.object({ month: month(), note: freeText().optional() }),
    problems: ["notFound", "notAllowedNow"],
  }),
  unlock: own.put("/unlock", {
    secondFactor: "again",
    summary: "Unlock a month; its version is kept",
    body: z.object({ month: month(), reason: requiredText() }),
    problems: ["notFound", "notAllowedNow"],
  }),
  listVersions: scoped.get("/versions", {
    summary: "List a month's versions, newest first",
    ...ofMonth,
    data: z.array(versionRecord),
  }),
  readVersion: scoped.get("/versions/:id", {
    summary: "Read a version's summary rows as JSON or download them as a workbook",
    params: z.object({ id: recordId() }),
    query: z.object(rowsQuery),
    answer: rowsAnswer,
    problems: ["notFound"],
  }),
  downloadDepartments: scoped.get("/departments", {
    summary: "Download a month's workbooks, one per department, as a ZIP archive",
    query: z.object({ month: chosenMonth, idCards: rowsQuery.idCards }),
    answer: { as: "file", mime: zipMime, streamed: true },
    problems: ["notFound"],
  }),
  compare: scoped.get("/compare", {
    summary: "Compare a month's rows with those of another month or of one of the month's versions",
    query: z.object({
      month: month(),
      with: month().optional().describe("Month to compare with; omit if `version` is given"),
      version: recordId().optional().describe("Version of the month to compare with; omit if `with` is given"),
      department: freeText().optional().describe("Only this department; default: all departments"),
      changed: z
        .boolean()
        .optional()
        .describe("true: only employees whose rows differ or, when two months are compared, whose figures differ"),
      format: z.enum(["json", "xlsx"]).optional(),
    }),
    answer: { as: "envelope", data: z.array(comparison), orFile: workbookMime, streamed: true },
    problems: ["notFound"],
  }),
  ...correctionEndpoints,
  ...objectionEndpoints,
  ...ownEndpoints,
  readSettings: own.get("/settings", {
    summary: "Read the campuses and bucket edges",
    data: analysisSettings,
  }),
  changeSettings: own.put("/settings", {
    summary: "Change the campuses or bucket edges that later analyses use",
    body: z.object(settingsChange),
  }),
  addKeyword: own.post("/settings/keyword", {
    summary: "Add keywords of a campus or of off-site places, all or nothing; later analyses use them",
    body: keywordOrders,
    problems: ["alreadyExists", "notAllowedNow"],
  }),
  previewSettings: own.post("/settings/preview", {
    group: "read",
    summary: "Preview how changed settings would affect a month",
    body: z.object({ month: chosenMonth, ...settingsChange }),
    data: preview,
    problems: ["notFound"],
  }),
  readMonthTemplate: template("month"),
  readOriginalTemplate: template("original"),
  readWorkTemplate: template("work"),
};

function template(sheet: ImportSheet) {
  return own.get(`/template/${sheet}`, {
    summary: `Download a template workbook for ${{ month: "the monthly summary", original: "raw punches", work: "identity cards" }[sheet]}`,
    answer: { as: "file", mime: workbookMime },
  });
}

export const attendance: ServiceContract<typeof endpoints> = {
  name: "attendance",
  title: { zh: "考勤分析", en: "Attendance" },
  about: { zh: "导入考勤表，按月统计出勤", en: "Import attendance sheets and analyse months" },
  color: "#0891b2",
  dimensions,
  problems: sharedProblems,
  endpoints,
};
