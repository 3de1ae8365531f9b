import * as z from "zod";
import { copiedColumns, type CopiedField, copiedFields } from "./copied-columns.ts";
import { workbookMime } from "#platform/contract/endpoint.ts";
import { asInt32, freeText, pageOf, recordId } from "#platform/contract/wire.ts";

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

const copied = Object.fromEntries(
  copiedFields.map((field) => {
    const { means } = copiedColumns[field];
    return [field, means === undefined ? z.string() : z.string().describe(means)];
  }),
) as Record<CopiedField, z.ZodString>;

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
  ...copied,
  ...dayColumns,
});

export const titleRow = z.object({
  id: recordId().describe("The month as yyyyMM"),
  userId: z.string(),
  workName: z.string(),
  ...dayColumns,
});

/** Rows of a month or of a version: as JSON, or as a workbook. */
export const rowsQuery = {
  format: z.enum(["json", "xlsx"]).optional(),
  department: freeText().optional(),
  groupOfCheck: freeText().optional(),
  name: freeText().optional().describe("Stands anywhere in the name"),
  curPage: z.int().min(1).optional().describe("Given: one page of the rows; left out: all"),
  pageSize: z.int().min(1).max(1000).default(10),
};
export const rowsAnswer = {
  as: "envelope",
  data: z.union([z.array(summaryRow), pageOf(summaryRow)]),
  orFile: workbookMime,
  streamed: true,
} as const;
