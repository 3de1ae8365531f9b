import type { Bilingual } from "#platform/language.ts";
import type { AnalysisSettings, DailyRow, EmployeeMonth, PunchRow } from "./model.ts";
import { countDays } from "./month-days.ts";
import {
  type FindCampus,
  openCampusFinder,
  placeByPunches,
  type PlacedDay,
  placeWithoutAddress,
  type PunchPlace,
} from "./rules-campus.ts";
import { type Bucket, chooseBucket, findLateness, type LateFinding } from "./rules-lateness.ts";
import { findMissing, type MissingPunch } from "./rules-missing.ts";
import { isOffSite, readResult } from "./rules-results.ts";

// What the rules find in one employee's month, each with the rows that it was found in. The summary row counts these
// findings, and the explanation spells them out.

/** A punch that counts (A10). */
export interface ValidPunch extends PunchPlace {
  readonly row: PunchRow;
  /** At a known address outside every campus, or marked 外勤 (A14). */
  readonly isAbnormal: boolean;
  /** What is wrong with its time (A15), "doubtful" where its times do not bear its result out. */
  readonly lateness: LateFinding | "doubtful" | null;
}

/** A punch that comes too late or too early, with the rows that say so: the same minute may be there twice. */
export interface LatePunch extends LateFinding {
  readonly day: string;
  readonly time: string;
  readonly bucket: Bucket;
  readonly rows: readonly PunchRow[];
}

/** A day with a valid punch or a missing one. */
export interface AttendedDay extends PlacedDay {
  readonly day: string;
  /** In time order. */
  readonly punches: readonly ValidPunch[];
  readonly missing: readonly MissingPunch[];
  /** One for each minute and address. */
  readonly abnormal: readonly ValidPunch[];
}

export interface Findings {
  readonly days: readonly AttendedDay[];
  /** In time order, which overnight is not the order of days. */
  readonly late: readonly LatePunch[];
  /** In time order, over all days. */
  readonly abnormal: readonly ValidPunch[];
  readonly warnings: readonly Bilingual[];
}

/** Errors: none. Rows of days outside the month are left out. */
export function findInMonth(input: EmployeeMonth, settings: AnalysisSettings): Findings {
  const findCampus = openCampusFinder(settings);
  const drafts = listSources(input).flatMap((sources) => draftDay(sources, findCampus));
  const late = drafts.flatMap(({ day, punches }) => findLatePunches(day, punches, settings.bucketEdges));
  const days = placeDays(drafts, input, findCampus);
  return {
    days,
    late: late.sort((left, right) => byText(left.time, right.time)),
    abnormal: days.flatMap(({ abnormal }) => abnormal).sort((left, right) => byText(left.row.time, right.row.time)),
    warnings: listWarnings(input.summary.name, days, drafts),
  };
}

interface DaySheets {
  readonly day: string;
  readonly cell: string;
  readonly daily: DailyRow[];
  readonly raw: PunchRow[];
}

function listSources({ month, summary, daily, punches }: EmployeeMonth): DaySheets[] {
  const days = Array.from({ length: countDays(month) }, (_, index): DaySheets => ({
    day: `${month}-${String(index + 1).padStart(2, "0")}`,
    cell: summary.days[index] ?? "",
    daily: [],
    raw: [],
  }));
  const byDay = new Map(days.map((day) => [day.day, day]));
  for (const row of daily) byDay.get(row.day)?.daily.push(row);
  for (const row of punches) byDay.get(row.day)?.raw.push(row);
  return days;
}

interface DraftDay {
  readonly day: string;
  readonly punches: readonly ValidPunch[];
  readonly missing: readonly MissingPunch[];
  readonly placed: PlacedDay | undefined;
}

// Nobody attended a day without any punch, valid or missing.
function draftDay({ day, ...sheets }: DaySheets, findCampus: FindCampus): DraftDay[] {
  const punches = listValidPunches(sheets.raw, findCampus);
  const missing = findMissing(sheets);
  return punches.length + missing.length === 0 ? [] : [{ day, punches, missing, placed: placeByPunches(punches) }];
}

function listValidPunches(rows: readonly PunchRow[], findCampus: FindCampus): ValidPunch[] {
  const punches: ValidPunch[] = [];
  for (const row of rows) {
    const meaning = readResult(row.result);
    if (row.time === null || meaning === "void" || meaning === "excused" || meaning === "missing") continue;
    const campus = findCampus(row.address);
    const marked = isOffSite(row.result);
    const isElsewhere = campus === undefined && (marked || row.address !== "");
    punches.push({ row, campus, isElsewhere, isAbnormal: marked || isElsewhere, lateness: findLateness(row, meaning) });
  }
  return punches.sort((left, right) => byText(left.row.time, right.row.time) || left.row.row - right.row.row);
}

function placeDays(drafts: readonly DraftDay[], { summary }: EmployeeMonth, findCampus: FindCampus): AttendedDay[] {
  const known = drafts.flatMap(({ placed }) => placed ?? []);
  const otherwise =
    known.length === drafts.length
      ? undefined
      : placeWithoutAddress(known, [summary.department, summary.group], findCampus);
  return drafts.flatMap(({ placed = otherwise, day, punches, missing }) =>
    placed ? { ...placed, day, punches, missing, abnormal: listAbnormal(punches) } : [],
  );
}

const listAbnormal = (punches: readonly ValidPunch[]): ValidPunch[] =>
  keepFirst(
    punches.filter(({ isAbnormal }) => isAbnormal),
    ({ row }) => `${row.time} ${row.address}`,
  );

function findLatePunches(day: string, punches: readonly ValidPunch[], edges: readonly [number, number]): LatePunch[] {
  if (punches.every(({ lateness }) => lateness === null)) return [];
  const found = new Map<string, LatePunch & { rows: PunchRow[] }>();
  for (const { row, lateness: late } of punches) {
    if (late === null || late === "doubtful" || row.time === null) continue;
    const key = `${row.scheduled} ${row.time} ${late.kind}`;
    const same = found.get(key);
    if (same) same.rows.push(row);
    else found.set(key, { ...late, day, time: row.time, bucket: chooseBucket(late.minutes, edges), rows: [row] });
  }
  return [...found.values()];
}

function listWarnings(name: string, days: readonly AttendedDay[], drafts: readonly DraftDay[]): Bilingual[] {
  const nowhere = days.filter(({ ground }) => ground === "nothing").map(({ day }) => day);
  const doubtful = drafts
    .filter(({ punches }) => punches.some(({ lateness }) => lateness === "doubtful"))
    .map(({ day }) => day);
  return [
    ...warn(name, nowhere, "无法判断校区，计为校区外", "no campus can be told, counted as off-site"),
    ...warn(
      name,
      doubtful,
      "标为迟到或早退，但与考勤时间不符，未计入",
      "marked late or early against the scheduled time, not counted",
    ),
  ];
}

function warn(name: string, days: readonly string[], zh: string, en: string): Bilingual[] {
  if (days.length === 0) return [];
  const dates = days.map((day) => day.slice(5));
  return [{ zh: `${name}：${dates.join("、")} ${zh}`, en: `${name}: ${dates.join(", ")} ${en}` }];
}

function keepFirst<Item>(items: readonly Item[], toKey: (item: Item) => string): Item[] {
  const seen = new Set<string>();
  return items.filter((item) => seen.size !== seen.add(toKey(item)).size);
}

function byText(left: string | null, right: string | null): number {
  const [one, other] = [left ?? "", right ?? ""];
  return one < other ? -1 : one > other ? 1 : 0;
}
