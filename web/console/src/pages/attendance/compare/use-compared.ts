import { useSearchParams } from "react-router";
import { attendance } from "#shared/api/attendance.ts";
import { useRead } from "#console/call/use-call.ts";
import type { Month } from "#console/pages/attendance/records.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useFixedNames } from "#shared/attendance/figure-names.ts";
import { dayFields, type SummaryRow } from "#console/pages/attendance/grid/people.ts";

export type Other = { readonly with: string } | { readonly version: number };

export interface Compared {
  readonly month: string;
  readonly other: Other;
  readonly department: string | undefined;
  readonly onlyChanged: boolean;
}

const toOther = (text: string): Other => (/^v\d+$/.test(text) ? { version: Number(text.slice(1)) } : { with: text });
export const fromOther = (other: Other): string => ("version" in other ? `v${other.version}` : other.with);

export function useCompared(analysed: readonly Month[]) {
  const [search, setSearch] = useSearchParams();
  const month = search.get("month") ?? analysed[0]?.month;
  const { data: versions } = useRead(
    attendance.listVersions,
    { query: { month } },
    { enabled: month !== undefined, keep: true },
  );
  const own = versions?.filter((each) => each.month === month);
  const version = Number(search.get("version"));
  const before = analysed.find((each) => each.month !== month && each.month === search.get("with"));
  const standard =
    before ??
    analysed.find((each) => month !== undefined && each.month < month) ??
    analysed.find((each) => each.month !== month);
  const fallback: Other | undefined =
    standard !== undefined ? { with: standard.month } : own?.[0] && { version: own[0].id };
  const other = Number.isInteger(version) && version > 0 ? { version } : fallback;
  const change = (part: Readonly<Record<string, string | undefined>>) =>
    setSearch(
      (last) => {
        const next = new URLSearchParams(last);
        for (const [key, value] of Object.entries(part)) {
          if (value === undefined) next.delete(key);
          else next.set(key, value);
        }
        return next;
      },
      { replace: true },
    );
  return {
    month,
    other,
    versions: own,
    department: search.get("department") ?? undefined,
    onlyChanged: search.get("changed") === "1",
    change,
    chooseMonth: (next: string) => change({ month: next, version: undefined }),
    chooseOther: (value: string) => {
      const chosen = toOther(value);
      change(
        "version" in chosen
          ? { version: String(chosen.version), with: undefined }
          : { with: chosen.with, version: undefined },
      );
    },
  };
}

export type Comparison = RecordOf<typeof attendance.compare>;

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
export const copiedFigures: ReadonlySet<ComparedFigure> = new Set(["absent", "leave", "sick"]);

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

// Copied columns are text: blank for zero, otherwise whatever the export contains.
const toNumber = (text: string): number => Number(text) || 0;

export const readFigure = (row: SummaryRow | null, figure: ComparedFigure): number | undefined =>
  row === null ? undefined : readers[figure](row);

// The columns of records ("recond") are left out, since records contain dates and always differ between two months.
const figureFields = Object.keys(useFixedNames.zh).filter((field) => !/recond/i.test(field));
const isDay = (field: string): boolean => dayFields.includes(field);

/**
 * Returns the fields in which the two sides differ. A comparison with a version also compares the days and names them
 * "days". The list is empty if one side lacks the person.
 */
export function listChanged({ month, with: beside }: Comparison, other: Other): string[] {
  if (month === null || beside === null) return [];
  const [one, two] = [month, beside] as unknown as Readonly<Record<string, unknown>>[];
  const fields = "with" in other ? figureFields : Object.keys(month).filter((field) => field !== "extra");
  const changed = fields.filter((field) => one?.[field] !== two?.[field]);
  const extra = Object.keys({ ...month.extra, ...beside.extra }).filter(
    (heading) => month.extra[heading] !== beside.extra[heading],
  );
  return [...changed.filter((field) => !isDay(field)), ...extra, ...(changed.some(isDay) ? ["days"] : [])];
}

export const isChanged = (comparison: Comparison, other: Other): boolean =>
  comparison.month === null || comparison.with === null || listChanged(comparison, other).length > 0;

export const sumFigure = (comparisons: readonly Comparison[], side: "month" | "with", figure: ComparedFigure): number =>
  comparisons.reduce((sum, comparison) => sum + (readFigure(comparison[side], figure) ?? 0), 0);
