import { type Bilingual, countOf } from "#platform/contract/language.ts";
import { hasPunches, listDays, writeDay } from "#services/attendance/days.ts";
import {
  type AnalysisSettings,
  type DailyRow,
  type Minute,
  type PunchRow,
  warnIf,
} from "#services/attendance/model.ts";
import type { EmployeeMonth } from "#services/attendance/employee-month.ts";
import type { AttendedDay, LatePunch, ValidPunch } from "./attended-day.ts";
import { applyCorrections } from "./corrected-days.ts";
import { findMissing, hasClock, isAttended, writeMissing } from "./rules-missing.ts";
import {
  type FindCampus,
  findLateness,
  openCampusFinder,
  openMarkReader,
  placeByPunches,
  placeWithoutAddress,
  type ReadMark,
} from "./rules-punches.ts";

export interface Findings {
  readonly days: readonly AttendedDay[];
  /** The days before corrections are applied. */
  readonly found: readonly AttendedDay[];
  /** Sorted by time. With night shifts, this order differs from the order of the days. */
  readonly late: readonly LatePunch[];
  readonly abnormal: readonly ValidPunch[];
  readonly strangeAddresses: ReadonlyMap<string, number>;
  readonly warnings: readonly Bilingual[];
}

/** Days that cannot be computed are left out. */
export function findInMonth(input: EmployeeMonth, settings: AnalysisSettings): Findings {
  const findCampus = openCampusFinder(settings);
  const sources = listSources(input, openMarkReader(findCampus));
  const drafts = sources.flatMap(draftDay);
  const found = placeDays(drafts, input, findCampus);
  const { days, late } = applyCorrections(input, findCampus, {
    days: found,
    late: drafts.flatMap((draft) => findLatePunches(draft, settings.bucketEdges)),
  });
  const strangeAddresses = new Map<string, number>();
  for (const { punches } of sources)
    for (const { row, says } of punches) {
      const { address } = row.mark;
      if (says.isStrange) strangeAddresses.set(address, (strangeAddresses.get(address) ?? 0) + 1);
    }
  return {
    days,
    found,
    late: late.toSorted(byTime),
    abnormal: days.flatMap(({ abnormal }) => abnormal).sort(byTime),
    strangeAddresses,
    warnings: listWarnings(input, days, drafts),
  };
}

interface DaySheets {
  readonly day: string;
  readonly index: number;
  readonly cell: string;
  readonly daily: DailyRow[];
  readonly punches: ValidPunch[];
  readonly unpunched: PunchRow[];
}

function listSources({ basis, summary, daily, punches }: EmployeeMonth, readMark: ReadMark): DaySheets[] {
  const first = basis.days.firstDay;
  const days = listDays(basis.days).map((day, index): DaySheets | undefined =>
    basis.computed.has(day)
      ? { day: writeDay(day), index, cell: summary.days[index] ?? "", daily: [], punches: [], unpunched: [] }
      : undefined,
  );
  for (const row of daily) days[row.day - first]?.daily.push(row);
  for (const row of punches) {
    const [sheets, says] = [days[row.day - first], readMark(row.mark)];
    if (says.meaning === "missing") sheets?.unpunched.push(row);
    else if (sheets && says.isPunch && row.time !== null) {
      const lateness = findLateness(says.meaning, row.scheduled, row.time);
      sheets.punches.push({ row, time: row.time, says, lateness });
    }
  }
  return days.filter((day) => day !== undefined);
}

type DraftDay = ReturnType<typeof draftDay>[number];

function draftDay({ day, index, punches, ...sheets }: DaySheets) {
  const missing = findMissing(sheets);
  const isAtWork = isAttended(sheets, punches.length);
  if (!isAtWork && punches.length === 0 && missing.length === 0) return [];
  const counts = isAtWork || (missing.length > 0 && (punches.length > 0 || hasClock(sheets)));
  punches.sort((left, right) => byTime(left, right) || left.row.row - right.row.row);
  return [{ day, index, counts, daily: sheets.daily, punches, missing, placed: placeByPunches(punches) }];
}

function placeDays(
  drafts: readonly DraftDay[],
  { basis, summary }: EmployeeMonth,
  findCampus: FindCampus,
): AttendedDay[] {
  const known = drafts.flatMap(({ placed }) => placed ?? []);
  const otherwise =
    known.length === drafts.length
      ? undefined
      : hasPunches(basis.spans)
        ? placeWithoutAddress(known, [summary.department, summary.group], findCampus)
        : ({ place: "off-site", ground: "nothing" } as const);
  return drafts.flatMap(({ placed = otherwise, punches, ...draft }) => {
    const abnormal = new Map<string, ValidPunch>();
    for (const punch of punches) {
      const key = punch.says.isAbnormal ? `${punch.time} ${punch.row.mark.address}` : "";
      if (key !== "" && !abnormal.has(key)) abnormal.set(key, punch);
    }
    return placed ? { ...draft, ...placed, punches, abnormal: [...abnormal.values()] } : [];
  });
}

function findLatePunches({ day, punches }: DraftDay, [first, second]: AnalysisSettings["bucketEdges"]): LatePunch[] {
  const found: LatePunch[] = [];
  for (const { row, time, lateness } of punches) {
    if (lateness === null || lateness === "doubtful") continue;
    const bucket = lateness.minutes <= first ? 0 : lateness.minutes <= second ? 1 : 2;
    found.push({ ...lateness, day, time, bucket, rows: [row] });
  }
  if (!found.some(({ time }, index) => time === found[index - 1]?.time)) return found;
  const alike = Map.groupBy(found, ({ time, kind, minutes }) => `${time} ${kind} ${minutes}`);
  return [...alike.values()].flatMap((same) =>
    same.slice(0, 1).map((late) => ({ ...late, rows: same.flatMap(({ rows }) => rows) })),
  );
}

function listWarnings(
  { basis, summary: { name } }: EmployeeMonth,
  days: readonly AttendedDay[],
  drafts: readonly DraftDay[],
): Bilingual[] {
  const warn = (found: readonly { readonly day: string }[], zh: string, en: string): Bilingual[] => {
    const dates = found.map(({ day }) => day.slice(5));
    return warnIf(dates.length > 0, `${name}：${dates.join("、")} ${zh}`, `${name}: ${dates.join(", ")} ${en}`);
  };
  // In a month without raw punches, no day has a known campus. One warning about the month says so, so the days get no
  // warnings of their own.
  const nowhere = hasPunches(basis.spans) ? days.filter(({ ground, counts }) => counts && ground === "nothing") : [];
  const doubtful = drafts.filter(({ punches }) => punches.some(({ lateness }) => lateness === "doubtful"));
  const late = "标为迟到或早退，但与考勤时间不符，未计入";
  // The row has no field for missing punches of off-site days (A12).
  const offSite = hasPunches(basis.spans) ? days.filter(({ place }) => place === "off-site") : [];
  const missing = offSite.flatMap(({ day, missing }) => missing.map((slot) => writeMissing(day, slot)));
  const count = missing.length;
  return [
    ...warn(nowhere, "无法判断校区，计为校区外", "campus unknown, counted as off-site"),
    ...warn(doubtful, late, "marked as late or early, but not according to the scheduled time; not counted"),
    ...warnIf(
      count > 0,
      `${name}：校区外缺卡 ${count} 次：${missing.join("、")}`,
      `${name}: ${countOf(count, "missing punch", "missing punches")} off site: ${missing.join(", ")}`,
    ),
  ];
}

const byTime = (left: { readonly time: Minute }, right: { readonly time: Minute }): number => left.time - right.time;
