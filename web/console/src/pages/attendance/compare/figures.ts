import type { attendance } from "#console/api/attendance.ts";
import type { RecordOf } from "#console/call/operation.ts";
import type { SummaryRow } from "#console/pages/attendance/grid/people.ts";

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

export const isChanged = (comparison: Comparison): boolean =>
  comparedFigures.some((figure) => readFigure(comparison.month, figure) !== readFigure(comparison.with, figure));

/** What all of them have together in one of the two months. */
export const sumFigure = (comparisons: readonly Comparison[], side: "month" | "with", figure: ComparedFigure): number =>
  comparisons.reduce((sum, comparison) => sum + (readFigure(comparison[side], figure) ?? 0), 0);
