import * as z from "zod";
import { workbookMime } from "#platform/contract/endpoint.ts";
import {
  asInt32,
  dateTime,
  day,
  freeText,
  oneOfNumbers,
  pageOf,
  patternText,
  personal,
  recordId,
  requiredText,
} from "#platform/contract/wire.ts";
import { copiedColumns, type CopiedField, copiedFields, correctionKinds, heldFields } from "./model.ts";

const units = "one two three four five six seven eight nine".split(" ");
const teens = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(" ");
const twenties = units.map((unit) => `twenty${unit.charAt(0).toUpperCase()}${unit.slice(1)}`);

export const dayFields: readonly string[] = [...units, ...teens, ...twenties, "thirty", "thirtyOne"].map(
  (ordinal) => `${ordinal}OfMonth`,
);

const dayColumns = Object.fromEntries(dayFields.map((name, index) => [name, z.string().describe(`Day ${index + 1}`)]));

const says = <S extends z.ZodType>(schema: S, about: string | undefined): S =>
  about === undefined ? schema : schema.describe(about);
const text = (heading: string, width: number, about?: string) =>
  ({ schema: says(z.string(), about), heading, width, type: "text" }) as const;
const personalText = (...given: Parameters<typeof text>) => {
  const column = text(...given);
  return { ...column, schema: personal("card", column.schema) };
};
const count = (heading: string, about: string) =>
  ({ schema: says(asInt32(z.int()), about), heading, width: 10, type: "number" }) as const;
const textCount = (heading: string, about: string) =>
  ({ schema: says(z.string(), about), heading, width: 10, type: "number" }) as const;

const copied = Object.fromEntries(
  copiedFields.map((field) => [field, says(z.string(), copiedColumns[field].means)]),
) as Record<CopiedField, z.ZodString>;

// The keys are those of the interface document. In headings, 20 and 30 stand for the bucket edges.
export const ownColumns = {
  workName: text("姓名", 12, "Employee name"),
  groupOfCheck: text("考勤组", 16, "Attendance group"),
  department: text("部门", 24),
  workNum: text("工号", 12, "Employee number"),
  idCard: personalText(
    "身份证号",
    22,
    "Identity card number; masked for callers without a token or without the right to export, and if `idCards` is `masked`",
  ),
  daysOfAttendanceInHuangjiahu: count("黄家湖出勤天数", "Attendance days at campus 1"),
  daysOfcardShortageInHuangjiahu: textCount("黄家湖缺卡天数", "Missing-punch days at campus 1"),
  recondOfcardShortageInHuangjiahu: text("黄家湖缺卡记录", 28, "Missing-punch records at campus 1"),
  sumAttendanceInHuangjiahu: count("黄家湖合计天数", "Attendance days and missing-punch days at campus 1"),
  daysOfAttendanceInMoxuanhu: count("墨轩湖出勤天数", "Attendance days at campus 2"),
  daysOfcardShortageInMoxuanhu: textCount("墨轩湖缺卡天数", "Missing-punch days at campus 2"),
  recondOfcardShortageInMoxuanhu: text("墨轩湖缺卡记录", 28, "Missing-punch records at campus 2"),
  sumAttendanceInMoxuanhu: count("墨轩湖合计天数", "Attendance days and missing-punch days at campus 2"),
  abnormalClockNumber: count("异常地点打卡天数", "Days with a punch outside every campus or marked 外勤"),
  abnormalClockRecond: text("异常地点打卡记录", 36),
  leTwentyLateNumber: count("迟到20分钟以内次数", "Late by up to 20 minutes"),
  lequalThirtyLateNumber: count("迟到20-30分钟次数", "Late by more than 20 and up to 30 minutes"),
  geThirtyLateNumber: count("迟到30分钟以上次数", "Late by more than 30 minutes"),
  lateOfRecond: text("迟到记录", 32),
  leTwentyLeaveNumber: count("早退20分钟以内次数", "Left up to 20 minutes early"),
  lequalThirtyLeaveNumber: count("早退20-30分钟次数", "Left more than 20 and up to 30 minutes early"),
  geThirtyLeaveNumber: count("早退30分钟以上次数", "Left more than 30 minutes early"),
  leaveOfRecond: text("早退记录", 32),
  attendanceDays: count("出勤合计天数", "Sum of the days at both campuses and the off-site days"),
  userId: text("UserId", 22),
};

type Own = typeof ownColumns;
const own = Object.fromEntries(Object.entries(ownColumns).map(([field, { schema }]) => [field, schema])) as unknown as {
  [Field in keyof Own]: Own[Field]["schema"];
};

export const summaryRow = z.object({ ...own, ...copied, ...dayColumns });

export const titleRow = z.object({
  id: recordId().describe("The month as yyyyMM"),
  userId: z.string(),
  workName: z.string(),
  ...dayColumns,
});

export const rowsQuery = {
  format: z.enum(["json", "xlsx"]).optional(),
  department: freeText().optional(),
  groupOfCheck: freeText().optional(),
  name: freeText().optional().describe("Substring of the name"),
  curPage: z.int().min(1).optional().describe("Page number; default: all rows"),
  pageSize: z.int().min(1).max(1000).default(10),
  idCards: z
    .enum(["masked", "whole"])
    .optional()
    .describe(
      "Whether identity card numbers are masked; `whole` requires the right to export. Default: masked in a department's workbook and for callers without that right, otherwise whole",
    ),
};
export const rowsAnswer = {
  as: "envelope",
  data: z.union([z.array(summaryRow), pageOf(summaryRow)]),
  orFile: workbookMime,
  streamed: true,
} as const;

export const month = () =>
  patternText(/^[1-9]\d{3}-(?:0[1-9]|1[0-2])$/, 7, {
    zh: "应为 yyyy-MM 格式的月份",
    en: "must be a month in the format yyyy-MM",
  }).meta({ examples: ["2026-10"] });

const days = () => z.object({ from: day(), to: day() });
const ownDays = days().describe("First and last day of the month's period, inclusive");
const datedSheet = z.enum(["month", "daily", "original"]);
const covered = z
  .array(z.object({ sheet: datedSheet, from: day(), to: day() }))
  .describe("Periods covered by each sheet, in ascending order; `from` and `to` are inclusive");

export const importAnswer = z.object({
  waring: z.string().describe("Warnings, one per line, or empty"),
  month: month(),
  employees: z.int(),
  rows: z.int(),
  skipped: z.int().describe("Rows outside the imported months"),
  months: z.array(month()).describe("Months into which the file was imported, in ascending order; `month` is the last"),
  covered,
});

export const analysisStatus = z.object({
  month: z.string(),
  statu: oneOfNumbers([0, 1, 2, 3]).describe("State of the analysis: 0 not started, 1 running, 2 finished, 3 failed"),
  total: z.int().describe("Employees of the month"),
  done: z.int().describe("Employees analysed so far"),
});

const locked = z
  .object({
    version: recordId().describe("Id of the version at which the month is locked"),
    number: z.int().describe("Numbered from 1 within the month"),
    note: z.string(),
    lockTime: dateTime(),
    lockedBy: z.string(),
  })
  .nullable()
  .describe("null: the month is not locked");

export const statusAnswer = analysisStatus.extend({
  days: ownDays,
  waring: z.string().describe("Notes on how the month's figures were determined, one per line, or empty"),
  covered,
  locked,
  differing: z
    .int()
    .describe(
      "Number of figures that differ from the export, as listed by `differences`; 0 until the month is analysed",
    ),
});

export const importSheets = ["month", "original", "work"] as const;
export type ImportSheet = (typeof importSheets)[number];

export const recognition = z.object({
  upload: z.string().describe("Id for importing the file without uploading it again; empty if no import accepts it"),
  imports: z
    .array(
      z.object({
        sheet: z.enum(importSheets),
        months: z
          .array(month())
          .describe(
            "Months into which the file would be imported; if the month must be specified, the months of its rows",
          ),
        days: days().nullable().describe("Period in the title, inclusive; null: no title"),
        takes: z
          .array(
            z.object({
              sheet: datedSheet,
              month: month(),
              ...days().shape,
              replaces: z.array(days()).describe("Days of the sheet for which the month already has data"),
            }),
          )
          .describe("Days that the import covers; empty if the month must be specified"),
      }),
    )
    .describe("Imports that accept the file"),
  waring: z
    .string()
    .describe(
      "Reasons why other imports do not accept the file, one per line; if none accepts it, which export to use instead",
    ),
});

export const uploadOrder = z.object({
  upload: patternText(/^[\da-f]{32}$/, 32, {
    zh: "应为识别文件时得到的编号",
    en: "must be an id returned by recognise",
  }),
  sheet: z.enum(importSheets),
});

export const importRecord = z.object({
  id: recordId(),
  sheet: z.enum(importSheets),
  fileName: z.string(),
  month: z.string().nullable().describe("null until the month is known"),
  phase: z.enum(["waiting", "reading", "storing", "done"]),
  bytesRead: z.int(),
  bytesTotal: z.int(),
  rows: z.int(),
  startTime: dateTime(),
  endTime: dateTime().nullable(),
  outcome: z.enum(["done", "failed", "interrupted"]).nullable().describe("null while the import is running"),
  waring: z.string(),
  errors: z.array(z.object({ row: z.int(), field: z.string(), message: z.string() })),
  covered: covered.describe("Days of the month that still come from this import; empty once all are replaced"),
});

export const monthRecord = z.object({
  month: z.string(),
  days: ownDays,
  employees: z.int(),
  punches: z.int(),
  identities: z.int(),
  importTime: dateTime().nullable().describe("Import time of the monthly summary"),
  statu: oneOfNumbers([0, 1, 2, 3]),
  analyseTime: dateTime().nullable(),
  covered,
  locked,
});

export const versionRecord = z.object({
  id: recordId(),
  month: z.string(),
  days: ownDays,
  number: z.int().describe("Numbered from 1 within the month"),
  note: z.string(),
  employees: z.int(),
  covered,
  waring: z.string().describe("Notes on how the version's figures were determined, one per line"),
  lockTime: dateTime(),
  lockedBy: z.string(),
  unlockTime: dateTime().nullable().describe("null while the month is locked at this version"),
  unlockedBy: z.string().nullable(),
  reason: z.string().nullable(),
});

const person = { workName: z.string(), userId: z.string(), workNum: z.string() };
const settledSheet = z.enum(["month", "daily", "original", "work"]).describe("work: the sheet of identity cards");

export const rosterEmployee = z.object({ ...person, groupOfCheck: z.string(), department: z.string() });

const personMatch = z.object({
  sheet: settledSheet,
  person: z
    .object({ userId: freeText().optional(), workNum: freeText().optional(), name: freeText() })
    .describe("As in the sheet; blank cells are omitted or empty"),
  userId: freeText().nullable().describe('userId of the employee; "": the person is no employee; null: undo the match'),
  groupOfCheck: freeText().optional().describe("Attendance group, if several employees of the month have the userId"),
});
export const matchOrder = personMatch.extend({ month: month() });
// An operator works through the list of unmatched people by hand. A sheet with more unmatched people is probably the
// wrong sheet, which must be replaced instead.
export const mostPeople = 2000;
export const matchOrders = z.object({ month: month(), matches: z.array(personMatch).min(1).max(mostPeople) });

export const unmatched = z.object({
  month: z.string(),
  people: z.array(
    z.object({
      ...person,
      kind: settledSheet.describe("The sheet that contains the person, as for `match`"),
      sheet: z.string().describe("The sheet that contains the person"),
      lackedBy: z.string().describe("The sheet in which the person is missing or has no unique match"),
      rows: z.int(),
      candidates: z.array(rosterEmployee).describe("Possible matches: employees with the same name or number"),
    }),
  ),
  results: z
    .array(z.object({ sheet: z.string(), result: z.string(), count: z.int(), examples: z.array(z.string()) }))
    .describe("Punch results that the analysis does not know"),
  addresses: z
    .array(
      z.object({
        address: z.string(),
        count: z.int().describe("Number of valid punches at this address"),
        days: z.int().describe("Number of person-days with such a punch"),
        people: z.int(),
      }),
    )
    .describe("Addresses of valid punches that match no keyword of the current settings, most frequent first"),
  settled: z
    .array(
      z.object({
        ...person,
        kind: settledSheet,
        sheet: z.string(),
        as: z
          .object({ userId: z.string(), groupOfCheck: z.string(), workName: z.string() })
          .nullable()
          .describe(
            "Matched employee; null: the person is no employee. workName is empty if the employee is not in the month",
          ),
        settledBy: z.string(),
        settleTime: dateTime(),
      }),
    )
    .describe("People of this month's sheets who were matched by hand"),
});

export const difference = z.object({
  userId: z.string(),
  name: z.string(),
  figure: z.enum(heldFields).describe("The export's 出勤天数, 上班缺卡次数 or 下班缺卡次数"),
  ours: z.number(),
  theirs: z.number().describe("From 月度汇总, or the sum of 每日统计 if 月度汇总 has no usable value"),
  days: z
    .array(day())
    .describe(
      "Days whose count differs from 每日统计 or, if 每日统计 has no count, from the day cell; empty if only the sum differs",
    ),
});

const extra = z
  .record(z.string(), z.string())
  .describe("Values of leave and overtime columns that have no field, by heading");
export const correctionKind = z
  .enum(correctionKinds)
  .describe(
    "present: an attendance day without a missing punch; onTime: neither late nor early; leave or none: the day does not count",
  );

export const correctionShape = z.object({
  kind: correctionKind,
  campus: oneOfNumbers([1, 2]).nullable(),
  hours: z.number().nullable(),
});

const dayCorrection = correctionShape.extend({
  day: day(),
  evidence: z.string(),
  madeBy: z.string(),
});

const comparedRow = summaryRow.extend({ extra }).nullable();

export const comparison = z.object({
  ...person,
  department: z.string(),
  month: comparedRow,
  with: comparedRow,
  corrections: z.array(dayCorrection).describe("The employee's corrections in force in `month`"),
});

export const [mostCampuses, mostKeywords] = [20, 50];
const place = () => oneOfNumbers([0, 1, 2]).describe("Number of the campus; 0: off-site");
const campus = z.object({ campus: place(), keywords: z.array(requiredText(64)).max(mostKeywords) });
const campuses = z
  .array(campus)
  .min(1)
  .max(mostCampuses)
  .describe("Keywords are looked up in the punch address in this order");
const bucketEdges = z
  .array(z.int().min(1).max(1440))
  .length(2)
  .refine(([first = 0, second = 0]) => first < second, {
    params: { complaint: { zh: "应由小到大", en: "must be in ascending order" } },
  })
  .describe("Upper edges of the first two buckets, in minutes, each inclusive");

export const analysisSettings = z.object({ campuses, bucketEdges });
export const settingsChange = { campuses: campuses.optional(), bucketEdges: bucketEdges.optional() };

export const mostAddresses = 500;
export const keywordOrders = z
  .array(z.object({ campus: place(), keyword: requiredText(64) }))
  .min(1)
  .max(mostAddresses);

export const preview = z.object({
  month: z.string(),
  employees: z.int(),
  changed: z.int().describe("Employees whose row would change"),
  rows: z
    .array(
      z.object({ ...person, changes: z.array(z.object({ field: z.string(), before: z.string(), after: z.string() })) }),
    )
    .describe("The first hundred employees whose row would change"),
});

const evidence = z.object({
  sheet: datedSheet,
  import: z.int().describe("Id of the import that the row belongs to"),
  row: z.int().describe("Row number in the sheet"),
  text: z.string(),
});

export const figure = z.object({
  field: z.string(),
  kind: z
    .enum(["number", "record", "copy"])
    .describe("number: the sum of the entries; record: their joined texts; copy: the value from the sheet"),
  value: z.string(),
  unit: z.string().optional().describe("For a copy: 天, 小时, 分钟 or 次"),
  entries: z.array(z.object({ day: z.string(), counts: z.number(), text: z.string(), evidence: z.array(evidence) })),
});

export const explanation = z.object({
  month: z.string(),
  days: ownDays,
  row: summaryRow,
  waring: z.string().describe("Findings of the analysis about this employee, one per line"),
  bucketEdges: bucketEdges.describe(
    "Upper edges of the first two buckets as used by the analysis, in minutes, each inclusive",
  ),
  people: z
    .array(
      z.object({
        ...person,
        kind: settledSheet,
        sheet: z.string(),
        rows: z.int(),
        by: z
          .enum(["userId", "workNum", "name", "match"])
          .nullable()
          .describe("Key by which the person was matched; match: matched by hand; null: no longer known"),
      }),
    )
    .describe("Matched people of the other sheets"),
  figures: z.array(figure),
  corrections: z.array(dayCorrection).describe("Corrections that contribute to the figures"),
  extra: z
    .array(figure.extend({ unit: z.string().describe("As in the heading, or empty") }))
    .describe("Leave and overtime columns without a field; `field` is the heading"),
});
