import type { Language } from "#platform/contract/language.ts";
import { findOwner } from "#services/attendance/coverage.ts";
import { readDay, writeDay, writeMinute } from "#services/attendance/local-times.ts";
import type { DailyRow, DatedSheet, Day, EmployeeMonth, Minute, PunchRow } from "#services/attendance/model.ts";
import { findCell } from "#services/attendance/compose.ts";
import type { AttendedDay } from "./findings.ts";
import { joinLines } from "./summary-row.ts";
import type { Ground } from "./rules-campus.ts";

// The places in the sheets that bear a figure out, and the words for them.

/** A place in a sheet that bears an entry out. */
export interface Evidence {
  readonly sheet: DatedSheet;
  /** The import that the row came with. */
  readonly importId: number;
  /** The sheet's own row number. */
  readonly row: number;
  readonly text: string;
}

/** What an employee's entries are written from. */
export interface Told extends Pick<EmployeeMonth, "basis" | "summary"> {
  readonly t: Texts;
}

type Texts = Readonly<{
  grounds: Readonly<Record<Ground, string>>;
  places: Readonly<Record<AttendedDay["place"], string>>;
  missing: string;
  day: (day: string, place: string, ground: string) => string;
  dayOfMonth: (day: number) => string;
  scheduled: string;
  punched: string;
  comma: string;
}>;

export const texts: Readonly<Record<Language, Texts>> = {
  zh: {
    grounds: {
      punch: "按首次校区打卡",
      elsewhere: "打卡地点在校区外",
      usual: "无打卡地址，按本月最多的校区",
      belonging: "无打卡地址，按部门或考勤组",
      nothing: "无法判断校区，计为校区外",
    },
    places: { 1: "校区1", 2: "校区2", "off-site": "校区外" },
    missing: "缺卡",
    day: (day, place, ground) => `${day} ${place}（${ground}）`,
    dayOfMonth: (day) => `${day}日`,
    scheduled: "考勤时间",
    punched: "打卡时间",
    comma: "，",
  },
  en: {
    grounds: {
      punch: "by the first punch on a campus",
      elsewhere: "punched off site",
      usual: "no address; by the campus of most days this month",
      belonging: "no address; by department or attendance group",
      nothing: "the campus cannot be told; counts as off site",
    },
    places: { 1: "campus 1", 2: "campus 2", "off-site": "off site" },
    missing: ", a punch is missing",
    day: (day, place, ground) => `${day} ${place} (${ground})`,
    dayOfMonth: (day) => `Day ${day}:`,
    scheduled: "scheduled",
    punched: "punched",
    comma: ", ",
  },
};

export function toCellEvidence(day: string, told: Told): Evidence[] {
  const index = Number(day.slice(8)) - 1;
  const cell = told.summary.days[index] ?? "";
  return cell === "" ? [] : toCell(index, cell, told);
}

export function toCell(index: number, cell: string, { basis, summary, t }: Told): Evidence[] {
  const owner = findOwner(basis.spans, "month", readDay(`${basis.month}-01`) + index);
  const source = findCell(summary.sources, owner, index);
  if (!source) return [];
  const text = `${t.dayOfMonth(index + 1)} ${joinLines(cell)}`;
  return [{ sheet: "month", importId: source.importId, row: source.row, text }];
}

const writeTime = (time: Minute | null): string => (time === null ? "-" : writeMinute(time));

const join = (parts: readonly string[], { comma }: Texts): string => parts.filter((part) => part !== "").join(comma);

/** Which import a row of a day came with. */
const ownerOf = (sheet: DatedSheet, day: Day, { basis }: Told): number => findOwner(basis.spans, sheet, day) ?? 0;

export const toPunchEvidence = ({ row, day, scheduled, time, mark }: PunchRow, told: Told): Evidence => ({
  sheet: "original",
  importId: ownerOf("original", day, told),
  row,
  text: join(
    [`${told.t.scheduled} ${writeTime(scheduled)}`, `${told.t.punched} ${writeTime(time)}`, mark.result, mark.address],
    told.t,
  ),
});

const toDailyEvidence = ({ row, day, shift, slots }: DailyRow, told: Told): Evidence => ({
  sheet: "daily",
  importId: ownerOf("daily", day, told),
  row,
  text: join(
    [
      writeDay(day),
      shift,
      ...slots.map(({ kind, number, time, result }) => `${kind}${number} ${time?.slice(11) ?? "-"} ${result}`.trim()),
    ],
    told.t,
  ),
});

export const toSourceEvidence = (source: DailyRow | PunchRow, told: Told): Evidence =>
  "slots" in source ? toDailyEvidence(source, told) : toPunchEvidence(source, told);

export const dropRepeated = (evidence: readonly Evidence[]): Evidence[] =>
  evidence.filter(
    ({ sheet, importId, row }, index) =>
      evidence.findIndex((other) => other.sheet === sheet && other.importId === importId && other.row === row) ===
      index,
  );
