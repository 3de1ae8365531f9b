import type { attendance } from "#shared/api/attendance.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { figureNames } from "#console/pages/attendance/figure-names.ts";
import type { Other } from "#console/pages/attendance/compare/use-compared.ts";
import { dayFields, type SummaryRow } from "#console/pages/attendance/grid/people.ts";

export type Comparison = RecordOf<typeof attendance.compare>;

/** What is compared of two months. */
export const comparedFigures = [
  "attendanceDays",
  "campus1",
  "campus2",
  "missing",
  "abnormal",
  "late",
  "early",
  "absent",
  "leave",
  "sick",
] as const;
export type ComparedFigure = (typeof comparedFigures)[number];

const readers: Readonly<Record<ComparedFigure, (row: SummaryRow) => number>> = {
  attendanceDays: (row) => row.attendanceDays,
  campus1: (row) => row.sumAttendanceInHuangjiahu,
  campus2: (row) => row.sumAttendanceInMoxuanhu,
  missing: (row) => toNumber(row.daysOfcardShortageInHuangjiahu) + toNumber(row.daysOfcardShortageInMoxuanhu),
  abnormal: (row) => row.abnormalClockNumber,
  late: (row) => row.leTwentyLateNumber + row.lequalThirtyLateNumber + row.geThirtyLateNumber,
  early: (row) => row.leTwentyLeaveNumber + row.lequalThirtyLeaveNumber + row.geThirtyLeaveNumber,
  absent: (row) => toNumber(row.absenteeismDay),
  leave: (row) => toNumber(row.privateAffairLeaveDay),
  sick: (row) => toNumber(row.sickLeaveDay),
};

// Columns that are carried over are text, blank for zero, and whatever the export has.
const toNumber = (text: string): number => Number(text) || 0;

/** The figure, undefined for somebody whom the month does not have. */
export const readFigure = (row: SummaryRow | null, figure: ComparedFigure): number | undefined =>
  row === null ? undefined : readers[figure](row);

// Not the records, which say the days, and those two months never have alike.
const figureFields = Object.keys(figureNames.zh).filter((field) => !/recond/i.test(field));
const isDay = (field: string): boolean => dayFields.includes(field);

/**
 * The fields in which the two sides differ, as the server tells them apart: of another month the figures, of a version
 * the whole row, its days as "days". None for somebody whom one side lacks.
 */
export function listChanged({ month, with: beside }: Comparison, other: Other): string[] {
  if (month === null || beside === null) return [];
  const [one, two] = [month, beside] as unknown as Readonly<Record<string, unknown>>[];
  const fields = "with" in other ? figureFields : Object.keys(month);
  const changed = fields.filter((field) => one?.[field] !== two?.[field]);
  return [...changed.filter((field) => !isDay(field)), ...(changed.some(isDay) ? ["days"] : [])];
}

export const isChanged = (comparison: Comparison, other: Other): boolean =>
  comparison.month === null || comparison.with === null || listChanged(comparison, other).length > 0;

/** What all of them have together in one of the two months. */
export const sumFigure = (comparisons: readonly Comparison[], side: "month" | "with", figure: ComparedFigure): number =>
  comparisons.reduce((sum, comparison) => sum + (readFigure(comparison[side], figure) ?? 0), 0);
