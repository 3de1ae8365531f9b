import { dayFields } from "#services/attendance/record-contract.ts";
import {
  type DayRun,
  daysOf,
  listDays,
  numberOf,
  type Period,
  writeDay,
  writeMinute,
  hasPunches,
} from "#services/attendance/days.ts";
import type { AnalysisSettings, Day } from "#services/attendance/model.ts";
import type { EmployeeMonth } from "#services/attendance/employee-month.ts";
import { type Findings, findInMonth } from "./findings.ts";
import type { AttendedDay, LatePunch, ValidPunch } from "./attended-day.ts";
import { listLines, writeMissing } from "./rules-missing.ts";
import { type Bucket, type Campus, type Lateness, writeLateness } from "./rules-punches.ts";

export function analyseMonth(
  input: EmployeeMonth,
  settings: AnalysisSettings,
): { readonly row: SummaryRow; readonly findings: Findings } {
  const findings = findInMonth(input, settings);
  return { row: toSummaryRow(input, findings), findings };
}

export type SummaryRow = ReturnType<typeof toSummaryRow>;

export const separator = "；";

function toSummaryRow({ basis, summary, idCard }: EmployeeMonth, { days, late, abnormal }: Findings) {
  const { copied } = summary;
  const [campus1, campus2] = [countCampus(days, 1), countCampus(days, 2)];
  const lateCounts = countBuckets(late, "late");
  const earlyCounts = countBuckets(late, "early");
  // The numbers of days with missing punches are left blank if the month has no raw punches.
  const writeMissingDays = (missing: number): string => (hasPunches(basis.spans) ? String(missing) : "");
  return {
    workName: summary.name,
    groupOfCheck: summary.group,
    department: summary.department,
    workNum: summary.workNumber,
    idCard,
    daysOfAttendanceInHuangjiahu: campus1.attended,
    daysOfcardShortageInHuangjiahu: writeMissingDays(campus1.missing),
    recondOfcardShortageInHuangjiahu: campus1.records,
    sumAttendanceInHuangjiahu: campus1.attended + campus1.missing,
    daysOfAttendanceInMoxuanhu: campus2.attended,
    daysOfcardShortageInMoxuanhu: writeMissingDays(campus2.missing),
    recondOfcardShortageInMoxuanhu: campus2.records,
    sumAttendanceInMoxuanhu: campus2.attended + campus2.missing,
    abnormalClockNumber: days.filter((day) => day.abnormal.length > 0).length,
    abnormalClockRecond: abnormal.map(writeAbnormal).join(separator),
    leTwentyLateNumber: lateCounts[0],
    lequalThirtyLateNumber: lateCounts[1],
    geThirtyLateNumber: lateCounts[2],
    lateOfRecond: writeRecord(late, "late"),
    leTwentyLeaveNumber: earlyCounts[0],
    lequalThirtyLeaveNumber: earlyCounts[1],
    geThirtyLeaveNumber: earlyCounts[2],
    leaveOfRecond: writeRecord(late, "early"),
    attendanceDays: days.filter(({ counts }) => counts).length,
    userId: summary.userId,
    ...copied,
    ...toDayColumns(basis.days, summary.days),
  };
}

export const writeAbnormal = ({ row, time }: ValidPunch): string =>
  `${writeMinute(time).slice(5)} ${row.mark.address || "外勤"}`;

function countCampus(
  days: readonly AttendedDay[],
  campus: Campus,
): { attended: number; missing: number; records: string } {
  const here = days.filter(({ place }) => place === campus);
  const counted = here.filter(({ counts }) => counts);
  const short = counted.filter(({ missing }) => missing.length > 0).length;
  const records = here.flatMap(({ day, missing }) => missing.map((slot) => writeMissing(day, slot)));
  return { attended: counted.length - short, missing: short, records: records.join(separator) };
}

function countBuckets(late: readonly LatePunch[], kind: Lateness): Record<Bucket, number> {
  const counts = { 0: 0, 1: 0, 2: 0 };
  for (const each of late) if (each.kind === kind) counts[each.bucket]++;
  return counts;
}

const writeRecord = (late: readonly LatePunch[], kind: Lateness): string =>
  late
    .filter((each) => each.kind === kind)
    .map((each) => writeLateness(each.time, each))
    .join(separator);

const weekdays = ["日", "一", "二", "三", "四", "五", "六"];

/** Each day's column has the lines of the day's cell, joined by `；`. It is "" if the month does not have the day. */
function toDayColumns({ firstDay, lastDay }: DayRun, texts: readonly string[]): Record<string, string> {
  // Columns are numbered by calendar day. If a period starts in the middle of a month, its days continue with column 1
  // after the month's end.
  const count = lastDay - firstDay + 1;
  const shift = count + 1 - numberOf(firstDay);
  const textOf = (place: number) => (place < count ? joinLines(texts[(place + shift) % count] ?? "") : "");
  return Object.fromEntries(dayFields.map((field, place) => [field, textOf(place)]));
}

export const joinLines = (cell: string): string => (cell.includes("\n") ? listLines(cell).join("；") : cell.trim());

const weekdayOf = (day: Day): string => weekdays[new Date(writeDay(day)).getUTCDay()] ?? "";

export const listDayNames = (period: Period): { number: number; weekday: string }[] =>
  listDays(daysOf(period)).map((day) => ({ number: numberOf(day), weekday: weekdayOf(day) }));

export const titleRow = (period: Period) => ({
  id: Number(period.month.replace("-", "")),
  userId: "UserId",
  workName: "姓名",
  ...toDayColumns(
    daysOf(period),
    listDayNames(period).map(({ weekday }) => weekday),
  ),
});
