import * as z from "zod";
import { endpoint, type ServiceContract, workbookMime } from "#platform/contract/endpoint.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import { decimal, freeText, listQuery, pageOf, recordId, requiredText } from "#platform/contract/wire.ts";
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
const documented = <P extends string>(path: P) =>
  ({ method: "GET", url: `${prefix}/${path}`, access: administrator }) as const;
const own = <M extends "GET" | "POST" | "PUT", P extends string>(method: M, path: P) =>
  ({ method, url: `${prefix}/${path}`, access: { who: "administrator" }, own: true }) as const;
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

const upload = {
  method: "POST",
  access: administrator,
  upload: { limit: "workbook" },
  fields: importChoices,
  answer: { as: "envelope", data: importAnswer },
  problems: ["importFailed", "notAllowedNow"],
} as const;

const ofMonth = { query: z.object({ month: chosenMonth }) };

export const endpoints = {
  importMonth: endpoint({
    ...upload,
    url: `${prefix}/importExcel`,
    summary: "Import the monthly summary, and the daily statistics if present",
  }),
  analyse: endpoint({
    ...documented("analyse"),
    summary: "Start the analysis of a month",
    group: "write",
    ...ofMonth,
    answer: { as: "envelope", data: analysisStatus },
    problems: ["notFound", "notAllowedNow"],
  }),
  findStatus: endpoint({
    ...documented("queryAnalyseStatu"),
    scoped: true,
    summary: "Read whether the analysis of a month has finished",
    ...ofMonth,
    answer: { as: "envelope", data: statusAnswer },
  }),
  download: endpoint({
    ...documented("downLoad"),
    scoped: true,
    summary: "Read a month's summary rows as JSON or download them as a workbook",
    query: z.object({ month: chosenMonth, ...rowsQuery }),
    answer: rowsAnswer,
    problems: ["notFound"],
  }),
  testService: endpoint({
    ...documented("te"),
    scoped: true,
    summary: "Check that the service is running; the response body is empty",
    answer: { as: "text", example: "" },
  }),
  findTitle: endpoint({
    ...documented("title"),
    scoped: true,
    summary: "Read the headings of a month's day columns, which are the days of the week",
    ...ofMonth,
    answer: { as: "envelope", data: titleRow },
  }),
  importOriginal: endpoint({
    ...upload,
    url: "/attendance/original/importOriginal",
    summary: "Import the raw punches of a month",
  }),
  importWork: endpoint({
    ...upload,
    url: "/attendance/work/importWork",
    summary: "Import the employees' identity cards",
  }),

  recognise: endpoint({
    ...own("POST", "recognise"),
    summary: "Check which imports accept a workbook and which days they would replace, without importing it",
    upload: { limit: "workbook" },
    fields: importChoices,
    answer: { as: "envelope", data: recognition },
  }),
  importUpload: endpoint({
    ...own("POST", "imports"),
    summary: "Import a recognised file without uploading it again",
    body: uploadOrder.extend(importChoices.shape),
    takesLong: true,
    answer: { as: "envelope", data: importAnswer },
    problems: ["notFound", "importFailed", "badFile", "fileTooLarge", "notAllowedNow"],
  }),
  listImports: endpoint({
    ...own("GET", "imports"),
    summary: "List imports, including running ones, newest first",
    query: z.object({
      ...listQuery("curPage", ["id", "startTime"]),
      month: month().optional(),
      sheet: z.enum(importSheets).optional(),
    }),
    answer: { as: "envelope", data: pageOf(importRecord) },
  }),
  findImport: endpoint({
    ...own("GET", "imports/:id"),
    summary: "Read an import, running or finished",
    params: z.object({ id: recordId() }),
    answer: { as: "envelope", data: importRecord },
    problems: ["notFound"],
  }),
  listMonths: endpoint({
    ...own("GET", "months"),
    scoped: true,
    summary: "List months with any data, newest first",
    answer: { as: "envelope", data: z.array(monthRecord) },
  }),
  explain: endpoint({
    ...own("GET", "explain"),
    scoped: true,
    summary: "Read an employee's row with the day cells and punches behind each figure",
    query: z.object({
      month: chosenMonth,
      userId: freeText().optional(),
      workNum: freeText().optional(),
      name: freeText().optional().describe("Name, for employees without a userId in the sheet"),
      groupOfCheck: freeText().optional().describe("Attendance group, if several rows have the same userId"),
    }),
    answer: { as: "envelope", data: explanation },
    problems: ["notFound", "notAllowedNow"],
  }),
  listUnmatched: endpoint({
    ...own("GET", "unmatched"),
    summary: "List people missing from a sheet, unknown punch results, and addresses that match no campus",
    ...ofMonth,
    answer: { as: "envelope", data: unmatched },
    problems: ["notFound"],
  }),
  listDifferences: endpoint({
    ...own("GET", "differences"),
    scoped: true,
    summary: "List employees whose attendance days or missing punches differ from the export, with the days",
    ...ofMonth,
    answer: { as: "envelope", data: z.array(difference) },
    problems: ["notFound"],
  }),
  listEmployees: endpoint({
    ...own("GET", "employees"),
    scoped: true,
    summary: "List a month's employees, even before the month is analysed",
    query: z.object({
      month: chosenMonth,
      keyword: freeText().optional().describe("Substring of the name, userId or number"),
      curPage: z.int().min(1).default(1),
      pageSize: z.int().min(1).max(1000).default(10),
    }),
    answer: { as: "envelope", data: pageOf(rosterEmployee) },
    problems: ["notFound"],
  }),
  match: endpoint({
    ...own("PUT", "match"),
    summary:
      "Match a person in a sheet to an employee, or record that the person is no employee; the match also applies to later imports",
    body: matchOrder,
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound", "notAllowedNow"],
  }),
  matchAll: endpoint({
    ...own("PUT", "matches"),
    summary: "Match several people in sheets to employees as `match` does, all or nothing",
    body: matchOrders,
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound", "notAllowedNow"],
  }),
  lock: endpoint({
    ...own("PUT", "lock"),
    summary: "Lock an analysed month and return the id of the version that stores its rows",
    body: z.object({ month: month(), note: freeText().optional() }),
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound", "notAllowedNow"],
  }),
  unlock: endpoint({
    ...own("PUT", "unlock"),
    secondFactor: "again",
    summary: "Unlock a month; its version is kept",
    body: z.object({ month: month(), reason: requiredText() }),
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound", "notAllowedNow"],
  }),
  listVersions: endpoint({
    ...own("GET", "versions"),
    scoped: true,
    summary: "List a month's versions, newest first",
    ...ofMonth,
    answer: { as: "envelope", data: z.array(versionRecord) },
  }),
  readVersion: endpoint({
    ...own("GET", "versions/:id"),
    scoped: true,
    summary: "Read a version's summary rows as JSON or download them as a workbook",
    params: z.object({ id: recordId() }),
    query: z.object(rowsQuery),
    answer: rowsAnswer,
    problems: ["notFound"],
  }),
  downloadDepartments: endpoint({
    ...own("GET", "departments"),
    scoped: true,
    summary: "Download a month's workbooks, one per department, as a ZIP archive",
    query: z.object({ month: chosenMonth, idCards: rowsQuery.idCards }),
    answer: { as: "file", mime: zipMime, streamed: true },
    problems: ["notFound"],
  }),
  compare: endpoint({
    ...own("GET", "compare"),
    scoped: true,
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
  readSettings: endpoint({
    ...own("GET", "settings"),
    summary: "Read the campuses and bucket edges",
    answer: { as: "envelope", data: analysisSettings },
  }),
  changeSettings: endpoint({
    ...own("PUT", "settings"),
    summary: "Change the campuses or bucket edges that later analyses use",
    body: z.object(settingsChange),
    answer: { as: "envelope", data: decimal() },
  }),
  addKeyword: endpoint({
    ...own("POST", "settings/keyword"),
    summary: "Add keywords of a campus or of off-site places, all or nothing; later analyses use them",
    body: keywordOrders,
    answer: { as: "envelope", data: decimal() },
    problems: ["alreadyExists", "notAllowedNow"],
  }),
  previewSettings: endpoint({
    ...own("POST", "settings/preview"),
    group: "read",
    summary: "Preview how changed settings would affect a month",
    body: z.object({ month: chosenMonth, ...settingsChange }),
    answer: { as: "envelope", data: preview },
    problems: ["notFound"],
  }),
  readMonthTemplate: template("month"),
  readOriginalTemplate: template("original"),
  readWorkTemplate: template("work"),
};

function template(sheet: ImportSheet) {
  return endpoint({
    ...own("GET", `template/${sheet}`),
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
