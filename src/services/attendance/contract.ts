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
const chosenMonth = month().optional().describe("Left out: the month whose month sheet was imported last");

const importChoices = z.object({
  month: month()
    .optional()
    .describe("Which month the rows are of, where the sheet itself does not say; or the one of its months to take"),
  allowEmpty: z
    .boolean()
    .optional()
    .describe("true: a sheet without any row in the month is meant, and its days have none from then on"),
  whole: z
    .boolean()
    .optional()
    .describe("true: a sheet without a title covers the whole month; left out, the days that it has"),
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
    summary: "Import the monthly summary, and the daily one when it is there",
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
    summary: "Whether the analysis of a month has finished",
    ...ofMonth,
    answer: { as: "envelope", data: statusAnswer },
  }),
  download: endpoint({
    ...documented("downLoad"),
    scoped: true,
    summary: "The summary rows of a month, as JSON or as a workbook",
    query: z.object({ month: chosenMonth, ...rowsQuery }),
    answer: rowsAnswer,
    problems: ["notFound"],
  }),
  testService: endpoint({
    ...documented("te"),
    scoped: true,
    summary: "Answers with an empty body when the service is there",
    answer: { as: "text", example: "" },
  }),
  findTitle: endpoint({
    ...documented("title"),
    scoped: true,
    summary: "The headings of the day columns: the weekdays of a month",
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
    summary: "Which imports a workbook is for, and which days they would replace; nothing is imported",
    upload: { limit: "workbook" },
    fields: importChoices,
    answer: { as: "envelope", data: recognition },
  }),
  importUpload: endpoint({
    ...own("POST", "imports"),
    summary: "Import a file that was recognised, without sending it again",
    body: uploadOrder.extend(importChoices.shape),
    takesLong: true,
    answer: { as: "envelope", data: importAnswer },
    problems: ["notFound", "importFailed", "badFile", "fileTooLarge", "notAllowedNow"],
  }),
  listImports: endpoint({
    ...own("GET", "imports"),
    summary: "Imports, running ones too, newest first",
    query: z.object({
      ...listQuery("curPage", ["id", "startTime"]),
      month: month().optional(),
      sheet: z.enum(importSheets).optional(),
    }),
    answer: { as: "envelope", data: pageOf(importRecord) },
  }),
  findImport: endpoint({
    ...own("GET", "imports/:id"),
    summary: "One import, while it runs and afterwards",
    params: z.object({ id: recordId() }),
    answer: { as: "envelope", data: importRecord },
    problems: ["notFound"],
  }),
  listMonths: endpoint({
    ...own("GET", "months"),
    scoped: true,
    summary: "The months of which there is something, newest first",
    answer: { as: "envelope", data: z.array(monthRecord) },
  }),
  explain: endpoint({
    ...own("GET", "explain"),
    scoped: true,
    summary: "One employee's row, and the day cells and punches behind each figure",
    query: z.object({
      month: chosenMonth,
      userId: freeText().optional(),
      workNum: freeText().optional(),
      name: freeText().optional().describe("For employees whom the sheet gives no userId"),
      groupOfCheck: freeText().optional().describe("Where several rows share the userId"),
    }),
    answer: { as: "envelope", data: explanation },
    problems: ["notFound", "notAllowedNow"],
  }),
  listUnmatched: endpoint({
    ...own("GET", "unmatched"),
    summary: "People of one sheet whom another lacks, results that no rule knows, and addresses of no campus",
    ...ofMonth,
    answer: { as: "envelope", data: unmatched },
    problems: ["notFound"],
  }),
  listDifferences: endpoint({
    ...own("GET", "differences"),
    scoped: true,
    summary: "Employees whose attendance days or missing punches the export itself counts otherwise, and on which days",
    ...ofMonth,
    answer: { as: "envelope", data: z.array(difference) },
    problems: ["notFound"],
  }),
  listEmployees: endpoint({
    ...own("GET", "employees"),
    scoped: true,
    summary: "The employees of a month, before it is analysed too",
    query: z.object({
      month: chosenMonth,
      keyword: freeText().optional().describe("Stands anywhere in the name, the userId or the number"),
      curPage: z.int().min(1).default(1),
      pageSize: z.int().min(1).max(1000).default(10),
    }),
    answer: { as: "envelope", data: pageOf(rosterEmployee) },
    problems: ["notFound"],
  }),
  match: endpoint({
    ...own("PUT", "match"),
    summary: "Settle a person of a sheet as an employee or as nobody, for the imports to come too",
    body: matchOrder,
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound", "notAllowedNow"],
  }),
  lock: endpoint({
    ...own("PUT", "lock"),
    summary: "Freeze an analysed month; its rows are kept as a version, whose id is answered",
    body: z.object({ month: month(), note: freeText().optional() }),
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound", "notAllowedNow"],
  }),
  unlock: endpoint({
    ...own("PUT", "unlock"),
    secondFactor: "again",
    summary: "Let a locked month change again; its version stays",
    body: z.object({ month: month(), reason: requiredText() }),
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound", "notAllowedNow"],
  }),
  listVersions: endpoint({
    ...own("GET", "versions"),
    scoped: true,
    summary: "The versions of a month, newest first",
    ...ofMonth,
    answer: { as: "envelope", data: z.array(versionRecord) },
  }),
  readVersion: endpoint({
    ...own("GET", "versions/:id"),
    scoped: true,
    summary: "The summary rows of a version, as JSON or as a workbook",
    params: z.object({ id: recordId() }),
    query: z.object(rowsQuery),
    answer: rowsAnswer,
    problems: ["notFound"],
  }),
  compare: endpoint({
    ...own("GET", "compare"),
    scoped: true,
    summary: "A month's rows beside those of another month or of a version of its own",
    query: z.object({
      month: month(),
      with: month().optional().describe("The other month; or else version"),
      version: recordId().optional().describe("A version of the month; or else with"),
      department: freeText().optional().describe("Left out: all"),
      changed: z
        .boolean()
        .optional()
        .describe("true: only employees whose rows differ, of two months those whose figures do"),
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
    summary: "Campuses and bucket edges",
    answer: { as: "envelope", data: analysisSettings },
  }),
  changeSettings: endpoint({
    ...own("PUT", "settings"),
    summary: "Change campuses or bucket edges, for analyses to come",
    body: z.object(settingsChange),
    answer: { as: "envelope", data: decimal() },
  }),
  addKeyword: endpoint({
    ...own("POST", "settings/keyword"),
    summary: "Take texts as keywords of a campus or of what is off-site, for analyses to come; all or none",
    body: keywordOrders,
    answer: { as: "envelope", data: decimal() },
    problems: ["alreadyExists", "notAllowedNow"],
  }),
  previewSettings: endpoint({
    ...own("POST", "settings/preview"),
    group: "read",
    summary: "What a change of the settings would do to one month; nothing is changed",
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
    summary: `A workbook to fill in: ${{ month: "the monthly summary", original: "raw punches", work: "identity cards" }[sheet]}`,
    answer: { as: "file", mime: workbookMime },
  });
}

export const attendance: ServiceContract<typeof endpoints> = {
  name: "attendance",
  title: { zh: "考勤分析", en: "Attendance" },
  about: { zh: "导入考勤表，按月统计出勤", en: "Attendance sheets, imported and worked out by month" },
  color: "#0891b2",
  dimensions,
  problems: sharedProblems,
  endpoints,
};
