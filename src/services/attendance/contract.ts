import * as z from "zod";
import { endpoint, type ServiceContract } from "#platform/endpoint.ts";
import { sharedProblems } from "#platform/problem.ts";
import {
  asInt32,
  dateTime,
  decimal,
  freeText,
  listQuery,
  oneOfNumbers,
  pageOf,
  patternText,
  recordId,
  requiredText,
} from "#platform/wire.ts";

const units = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const upToTwenty = [
  ...units,
  "ten",
  "eleven",
  "twelve",
  "thirteen",
  "fourteen",
  "fifteen",
  "sixteen",
  "seventeen",
  "eighteen",
  "nineteen",
  "twenty",
];
const aboveTwenty = units.map((unit) => `twenty${unit.charAt(0).toUpperCase()}${unit.slice(1)}`);

/** The names of the day columns, `oneOfMonth` to `thirtyOneOfMonth`. */
export const dayFields: readonly string[] = [...upToTwenty, ...aboveTwenty, "thirty", "thirtyOne"].map(
  (ordinal) => `${ordinal}OfMonth`,
);

const dayColumns = Object.fromEntries(dayFields.map((name, index) => [name, z.string().describe(`Day ${index + 1}`)]));

/** One employee's month. The names are the interface document's, spelling included. */
export const summaryRow = z.object({
  workName: z.string().describe("Employee name"),
  groupOfCheck: z.string().describe("Attendance group"),
  department: z.string(),
  workNum: z.string().describe("Employee number"),
  idCard: z.string().describe("Identity card number; masked for callers without a token"),
  daysOfAttendanceInHuangjiahu: asInt32(z.int()).describe("Attendance days at campus 1"),
  daysOfcardShortageInHuangjiahu: z.string().describe("Missing-punch days at campus 1"),
  recondOfcardShortageInHuangjiahu: z.string().describe("Missing-punch records at campus 1"),
  sumAttendanceInHuangjiahu: asInt32(z.int()).describe("Attendance days and missing-punch days at campus 1"),
  daysOfAttendanceInMoxuanhu: asInt32(z.int()).describe("Attendance days at campus 2"),
  daysOfcardShortageInMoxuanhu: z.string().describe("Missing-punch days at campus 2"),
  recondOfcardShortageInMoxuanhu: z.string().describe("Missing-punch records at campus 2"),
  sumAttendanceInMoxuanhu: asInt32(z.int()).describe("Attendance days and missing-punch days at campus 2"),
  abnormalClockNumber: asInt32(z.int()).describe("Days with a punch outside every campus"),
  abnormalClockRecond: z.string(),
  leTwentyLateNumber: asInt32(z.int()).describe("Late by up to 20 minutes"),
  lequalThirtyLateNumber: asInt32(z.int()).describe("Late by more than 20 and up to 30 minutes"),
  geThirtyLateNumber: asInt32(z.int()).describe("Late by more than 30 minutes"),
  lateOfRecond: z.string(),
  leTwentyLeaveNumber: asInt32(z.int()).describe("Left up to 20 minutes early"),
  lequalThirtyLeaveNumber: asInt32(z.int()).describe("Left more than 20 and up to 30 minutes early"),
  geThirtyLeaveNumber: asInt32(z.int()).describe("Left more than 30 minutes early"),
  leaveOfRecond: z.string(),
  attendanceDays: asInt32(z.int()).describe("Both campus sums and the off-site days"),
  userId: z.string(),
  attendanceDay: z.string(),
  restDay: z.string(),
  workHours: z.string(),
  numberOfLate: z.string(),
  numberOfLateTime: z.string(),
  numberOfSeriousLateness: z.string(),
  durationOfSevereLateness: z.string(),
  daysOfAbsenteeismAndLateness: z.string(),
  leaveEarlyNumber: z.string(),
  leaveEarlyTimes: z.string(),
  lackOfWorkCardTimes: z.string().describe("Missing clock-ins"),
  lackOfMissingWorkCardTimes: z.string().describe("Missing clock-outs"),
  absenteeismDay: z.string(),
  evectionDay: z.string().describe("Business-trip days"),
  goOutDay: z.string(),
  bereavementLeave: z.string(),
  privateAffairLeaveDay: z.string(),
  maternityLeaveDay: z.string(),
  sickLeaveDay: z.string(),
  escortFalse: z.string().describe("Accompanying leave"),
  marriageLeaveDay: z.string(),
  ...dayColumns,
});

export const titleRow = z.object({
  id: recordId().describe("The month as yyyyMM"),
  userId: z.string(),
  workName: z.string(),
  ...dayColumns,
});

const months = {
  pattern: /^[1-9]\d{3}-(?:0[1-9]|1[0-2])$/,
  says: { zh: "应为 yyyy-MM 格式的月份", en: "must be a month as yyyy-MM" },
};
const month = () => patternText(months.pattern, 7, months.says).meta({ examples: ["2026-10"] });
const chosenMonth = month().optional().describe("Left out: the month whose month sheet was imported last");

const importAnswer = z.object({
  waring: z.string().describe("The warnings, one a line, or empty"),
  month: month(),
  employees: z.int(),
  rows: z.int(),
  skipped: z.int().describe("Rows outside the month"),
});

export const analysisStatus = z.object({
  month: z.string(),
  statu: oneOfNumbers([0, 1, 2, 3]).describe("0 not started, 1 running, 2 finished, 3 failed"),
  total: z.int().describe("Employees of the month"),
  done: z.int().describe("Employees analysed so far"),
});

export const importSheets = ["month", "original", "work"] as const;
export type ImportSheet = (typeof importSheets)[number];

export const importRecord = z.object({
  id: recordId(),
  sheet: z.enum(importSheets),
  fileName: z.string(),
  month: z.string().nullable().describe("null until it is known"),
  phase: z.enum(["waiting", "reading", "storing", "done"]),
  bytesRead: z.int(),
  bytesTotal: z.int(),
  rows: z.int(),
  startTime: dateTime(),
  endTime: dateTime().nullable(),
  outcome: z.enum(["done", "failed", "interrupted"]).nullable().describe("null while it runs"),
  waring: z.string(),
  errors: z.array(z.object({ row: z.int(), field: z.string(), message: z.string() })),
});

export const monthRecord = z.object({
  month: z.string(),
  employees: z.int(),
  punches: z.int(),
  identities: z.int(),
  importTime: dateTime().nullable().describe("When the month sheet was imported"),
  statu: oneOfNumbers([0, 1, 2, 3]),
  analyseTime: dateTime().nullable(),
});

const person = { workName: z.string(), userId: z.string(), workNum: z.string() };

export const unmatched = z.object({
  month: z.string(),
  people: z.array(
    z.object({
      ...person,
      sheet: z.string().describe("The sheet that has the person"),
      lackedBy: z.string().describe("The sheet that has them not, or not for certain"),
      rows: z.int(),
    }),
  ),
  results: z
    .array(z.object({ sheet: z.string(), result: z.string(), count: z.int(), examples: z.array(z.string()) }))
    .describe("Results that no rule knows"),
});

export const comparison = z.object({
  ...person,
  department: z.string(),
  month: summaryRow.nullable(),
  with: summaryRow.nullable(),
});

const campus = z.object({ campus: oneOfNumbers([1, 2]), keywords: z.array(requiredText(64)).max(50) });
const campuses = z.array(campus).min(1).max(20).describe("Looked for in this order in the punch's address");
const bucketEdges = z
  .array(z.int().min(1).max(1440))
  .length(2)
  .refine(([first = 0, second = 0]) => first < second, { params: { complaint: { zh: "应由小到大", en: "must rise" } } })
  .describe("Upper edges of the first two buckets, in minutes, each inclusive");

export const analysisSettings = z.object({ campuses, bucketEdges });
const settingsChange = { campuses: campuses.optional(), bucketEdges: bucketEdges.optional() };

export const preview = z.object({
  month: z.string(),
  employees: z.int(),
  changed: z.int().describe("Employees whose row would change"),
  rows: z
    .array(
      z.object({ ...person, changes: z.array(z.object({ field: z.string(), before: z.string(), after: z.string() })) }),
    )
    .describe("The first hundred of them"),
});

const evidence = z.object({
  sheet: z.enum(["month", "daily", "original"]),
  row: z.int().describe("The sheet's own row number"),
  text: z.string(),
});

export const explanation = z.object({
  month: z.string(),
  row: summaryRow,
  waring: z.string().describe("What the analysis found odd about this employee, one a line"),
  bucketEdges: bucketEdges.describe(
    "Of the analysis: upper edges of its first two buckets, in minutes, each inclusive",
  ),
  figures: z.array(
    z.object({
      field: z.string(),
      kind: z
        .enum(["number", "record", "copy"])
        .describe(
          "How the entries make the value: their counts add up to a number, their texts are joined to a record, a copy is the sheet's own",
        ),
      value: z.string(),
      entries: z.array(
        z.object({ day: z.string(), counts: z.number(), text: z.string(), evidence: z.array(evidence) }),
      ),
    }),
  ),
});

const administrator = { who: "administrator", headerUndocumented: true } as const;
const own = { access: { who: "administrator" }, own: true } as const;
const workbookMime = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const prefix = "/attendance/month";

const upload = {
  method: "POST",
  access: administrator,
  upload: { limit: "workbook" },
  fields: z.object({
    month: month().optional().describe("Which month the rows are of, where the sheet itself does not say"),
  }),
  answer: { as: "envelope", data: importAnswer },
  problems: ["importFailed"],
} as const;

const ofMonth = { query: z.object({ month: chosenMonth }) };

export const endpoints = {
  importMonth: endpoint({
    ...upload,
    url: `${prefix}/importExcel`,
    summary: "Import the monthly summary, and the daily one when it is there",
  }),
  analyse: endpoint({
    method: "GET",
    url: `${prefix}/analyse`,
    summary: "Start the analysis of a month",
    access: administrator,
    ...ofMonth,
    answer: { as: "envelope", data: analysisStatus },
    problems: ["notFound"],
  }),
  findStatus: endpoint({
    method: "GET",
    url: `${prefix}/queryAnalyseStatu`,
    summary: "Whether the analysis of a month has finished",
    access: administrator,
    ...ofMonth,
    answer: { as: "envelope", data: analysisStatus.extend({ waring: z.string() }) },
  }),
  download: endpoint({
    method: "GET",
    url: `${prefix}/downLoad`,
    summary: "The summary rows of a month, as JSON or as a workbook",
    access: administrator,
    query: z.object({
      month: chosenMonth,
      format: z.enum(["json", "xlsx"]).optional(),
      department: freeText().optional(),
      groupOfCheck: freeText().optional(),
      name: freeText().optional().describe("Stands anywhere in the name"),
      curPage: z.int().min(1).optional().describe("Given: one page of the rows; left out: all"),
      pageSize: z.int().min(1).max(1000).default(10),
    }),
    answer: {
      as: "envelope",
      data: z.union([z.array(summaryRow), pageOf(summaryRow)]),
      orFile: workbookMime,
      streamed: true,
    },
    problems: ["notFound"],
  }),
  testService: endpoint({
    method: "GET",
    url: `${prefix}/te`,
    summary: "Answers with an empty body when the service is there",
    access: administrator,
    answer: { as: "text", example: "" },
  }),
  findTitle: endpoint({
    method: "GET",
    url: `${prefix}/title`,
    summary: "The headings of the day columns: the weekdays of a month",
    access: administrator,
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

  listImports: endpoint({
    ...own,
    method: "GET",
    url: `${prefix}/imports`,
    summary: "Imports, running ones too, newest first",
    query: z.object({
      ...listQuery("curPage", ["id", "startTime"]),
      month: month().optional(),
      sheet: z.enum(importSheets).optional(),
    }),
    answer: { as: "envelope", data: pageOf(importRecord) },
  }),
  findImport: endpoint({
    ...own,
    method: "GET",
    url: `${prefix}/imports/:id`,
    summary: "One import, while it runs and afterwards",
    params: z.object({ id: recordId() }),
    answer: { as: "envelope", data: importRecord },
    problems: ["notFound"],
  }),
  listMonths: endpoint({
    ...own,
    method: "GET",
    url: `${prefix}/months`,
    summary: "The months of which there is something, newest first",
    answer: { as: "envelope", data: z.array(monthRecord) },
  }),
  explain: endpoint({
    ...own,
    method: "GET",
    url: `${prefix}/explain`,
    summary: "One employee's row, and the day cells and punches behind each figure",
    query: z.object({
      month: chosenMonth,
      userId: freeText().optional(),
      workNum: freeText().optional(),
      name: freeText().optional().describe("For employees whom the sheet gives no userId"),
    }),
    answer: { as: "envelope", data: explanation },
    problems: ["notFound", "notAllowedNow"],
  }),
  listUnmatched: endpoint({
    ...own,
    method: "GET",
    url: `${prefix}/unmatched`,
    summary: "People of one sheet whom another lacks, and results that no rule knows",
    ...ofMonth,
    answer: { as: "envelope", data: unmatched },
    problems: ["notFound"],
  }),
  compare: endpoint({
    ...own,
    method: "GET",
    url: `${prefix}/compare`,
    summary: "Two months' rows side by side",
    query: z.object({ month: month(), with: month(), department: freeText().optional().describe("Left out: all") }),
    answer: { as: "envelope", data: z.array(comparison), streamed: true },
    problems: ["notFound"],
  }),
  readSettings: endpoint({
    ...own,
    method: "GET",
    url: `${prefix}/settings`,
    summary: "Campuses and bucket edges",
    answer: { as: "envelope", data: analysisSettings },
  }),
  changeSettings: endpoint({
    ...own,
    method: "PUT",
    url: `${prefix}/settings`,
    summary: "Change campuses or bucket edges, for analyses to come",
    body: z.object(settingsChange),
    answer: { as: "envelope", data: decimal() },
  }),
  previewSettings: endpoint({
    ...own,
    method: "POST",
    url: `${prefix}/settings/preview`,
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
    ...own,
    method: "GET",
    url: `${prefix}/template/${sheet}`,
    summary: `A workbook to fill in: ${{ month: "the monthly summary", original: "raw punches", work: "identity cards" }[sheet]}`,
    answer: { as: "file", mime: workbookMime },
  });
}

export const attendance: ServiceContract<typeof endpoints> = {
  name: "attendance",
  title: "Attendance",
  problems: sharedProblems,
  endpoints,
};
