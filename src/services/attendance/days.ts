import type { Bilingual } from "#platform/contract/language.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { type DatedSheet, type Day, type Minute, type Span, warnIf } from "./model.ts";

const [dayMs, minuteMs] = [86_400_000, 60_000];
const days = new Map<Day, string>();
const remembered = 10_000;

/** Returns NaN for a text that is not a date, but reads 2026-02-30 as 2026-03-02. */
export const readDay = (text: string): Day => Date.parse(`${text}T00:00:00Z`) / dayMs;

/** Years must be 1 to 9999. The texts are cached, since all employees have the same thirty days. */
export function writeDay(day: Day): string {
  const known = days.get(day);
  if (known !== undefined) return known;
  if (days.size >= remembered) days.clear();
  const text = new Date(day * dayMs).toISOString().slice(0, 10);
  days.set(day, text);
  return text;
}

export const numberOf = (day: Day): number => Number(writeDay(day).slice(8));

export const dayOfInstant = (instant: number, zone: string): Day =>
  readDay(formatDateTime(new Date(instant), zone).slice(0, 10));

export const writeMinute = (minute: Minute): string =>
  new Date(minute * minuteMs).toISOString().slice(0, 16).replace("T", " ");

const countDays = (month: string): number =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate();

// A span is a run of days of a sheet that an import provides. The spans of a sheet are disjoint and sorted by day.

export const sheetNames = { month: "月度汇总", daily: "每日统计", original: "原始记录", work: "员工信息" } as const;

export interface DayRun {
  readonly firstDay: Day;
  readonly lastDay: Day;
}

/**
 * A month's period starts on day `periodStart` of the previous month, or on the first day of the month if `periodStart`
 * is 1 (A2e).
 */
export interface Period {
  readonly month: string;
  readonly periodStart: number;
}

export function daysOf({ month, periodStart }: Period): DayRun {
  const first = readDay(`${month}-01`);
  if (periodStart === 1) return { firstDay: first, lastDay: first + countDays(month) - 1 };
  const before = writeDay(first - 1).slice(0, 7);
  return { firstDay: readDay(`${before}-01`) + periodStart - 1, lastDay: first + periodStart - 2 };
}

export function monthOf(day: string, periodStart: number): string {
  const month = day.slice(0, 7);
  if (periodStart === 1 || Number(day.slice(8)) < periodStart) return month;
  return writeDay(readDay(`${month}-28`) + 4).slice(0, 7);
}

export function intersect(one: DayRun, other: DayRun): DayRun | undefined {
  const [firstDay, lastDay] = [Math.max(one.firstDay, other.firstDay), Math.min(one.lastDay, other.lastDay)];
  return firstDay <= lastDay ? { firstDay, lastDay } : undefined;
}

const cut = <Run extends DayRun>(run: Run, other: DayRun): Run[] =>
  [
    { ...run, lastDay: Math.min(run.lastDay, other.firstDay - 1) },
    { ...run, firstDay: Math.max(run.firstDay, other.lastDay + 1) },
  ].filter(({ firstDay, lastDay }) => firstDay <= lastDay);

export const takeOver = <Run extends DayRun>(spans: readonly Run[], taken: Run): Run[] =>
  [...spans.flatMap((span) => cut(span, taken)), taken].sort(byDay);

export const subtract = <Run extends DayRun>(runs: readonly Run[], others: readonly DayRun[]): Run[] =>
  others.reduce<Run[]>((left, other) => left.flatMap((run) => cut(run, other)), [...runs]);

const byDay = (left: DayRun, right: DayRun): number => left.firstDay - right.firstDay;

export const spansOf = (spans: readonly Span[], sheet: DatedSheet): Span[] =>
  spans.filter((span) => span.sheet === sheet);

/**
 * Returns the parts of `taken` whose days no import of `sheets` provides. Spans that were derived from another sheet do
 * not count (A1a).
 */
export const leaveOpen = (spans: readonly Span[], taken: Span, sheets: readonly DatedSheet[]): Span[] =>
  subtract(
    [taken],
    spans.filter(({ sheet, isStandIn }) => sheets.includes(sheet) && !isStandIn),
  );

/** Leaves out spans of 月度汇总 that were derived from another sheet, since those are not shown to users. */
export const toldSpansOf = (spans: readonly Span[], sheet: DatedSheet): Span[] =>
  spansOf(spans, sheet).filter(({ isStandIn }) => sheet !== "month" || !isStandIn);

export function listImportsOf(spans: readonly Span[], sheet: DatedSheet): number[] {
  const own = spansOf(spans, sheet).toSorted((left, right) => right.lastDay - left.lastDay);
  return [...new Set(own.map(({ importId }) => importId))].toReversed();
}

export const findOwner = (spans: readonly Span[], sheet: DatedSheet, day: Day): number | undefined =>
  spans.find((span) => span.sheet === sheet && span.firstDay <= day && day <= span.lastDay)?.importId;

export function joinRuns(runs: readonly DayRun[]): DayRun[] {
  const joined: { firstDay: Day; lastDay: Day }[] = [];
  for (const { firstDay, lastDay } of runs.toSorted(byDay)) {
    const before = joined.at(-1);
    if (before && firstDay <= before.lastDay + 1) before.lastDay = Math.max(before.lastDay, lastDay);
    else joined.push({ firstDay, lastDay });
  }
  return joined;
}

/** Whether the month has raw punches, the only source of addresses and minutes of lateness. */
export const hasPunches = (spans: readonly Span[]): boolean => spansOf(spans, "original").length > 0;

/**
 * Lists the days that can be computed: those in both 月度汇总 and 原始记录 or, if the month has no 原始记录, in both 月度汇总 and 每日统计.
 */
export function listComputedDays(spans: readonly Span[]): ReadonlySet<Day> {
  const told = spansOf(spans, hasPunches(spans) ? "original" : "daily");
  const runs = spansOf(spans, "month").flatMap((run) => told.flatMap((other) => intersect(run, other) ?? []));
  return new Set(runs.flatMap(listDays));
}

export const listDays = ({ firstDay, lastDay }: DayRun): Day[] =>
  Array.from({ length: lastDay - firstDay + 1 }, (_, index) => firstDay + index);

type Language = keyof Bilingual;

export const writeRuns = (runs: readonly DayRun[], language: Language = "zh"): string =>
  joinRuns(runs)
    .map((run) => writeRun(run, "day", language))
    .join(language === "zh" ? "、" : ", ");

export function writeRun(
  { firstDay, lastDay }: DayRun,
  style: "day" | "date" = "day",
  language: Language = "zh",
): string {
  const [first, last] = [firstDay, lastDay].map((day) => writeDay(day).slice(style === "day" ? 5 : 0));
  return first === last ? String(first) : `${first} ${language === "zh" ? "至" : "to"} ${last}`;
}

export const toWireDays = ({ firstDay, lastDay }: DayRun) => ({ from: writeDay(firstDay), to: writeDay(lastDay) });

const datedSheets = ["month", "daily", "original"] as const satisfies readonly DatedSheet[];

export const toCovered = (spans: readonly Span[]) =>
  datedSheets.flatMap((sheet) => joinRuns(toldSpansOf(spans, sheet)).map((run) => ({ sheet, ...toWireDays(run) })));

export type Covered = ReturnType<typeof toCovered>[number];

/**
 * Warns if 月度汇总 or 原始记录 is missing, or if the two have no day in common. Also warns if an imported sheet lacks days
 * that are before `today` or that 月度汇总 or 原始记录 has.
 */
export function warnOfCoverage(period: Period, spans: readonly Span[], today: Day): Bilingual[] {
  const { firstDay, lastDay } = daysOf(period);
  const past = { firstDay, lastDay: Math.min(lastDay, today - 1) };
  const present = datedSheets.filter((sheet) => spansOf(spans, sheet).length > 0);
  const wanted = [...spans.filter(({ sheet }) => sheet !== "daily"), ...(past.lastDay < firstDay ? [] : [past])];
  const byDaily = present.includes("month") && present.includes("daily");
  const isBoth = present.includes("month") && present.includes("original");
  return [
    ...warnIf(
      isBoth && listComputedDays(spans).size === 0,
      "月度汇总与原始记录没有共同的日期",
      "月度汇总 and 原始记录 have no days in common",
    ),
    ...warnIf(
      !present.includes("month"),
      "缺少月度汇总，无法分析",
      "月度汇总 is missing: the month cannot be analysed",
    ),
    ...warnIf(
      !present.includes("original"),
      `缺少原始记录：校区天数、迟到、早退均未计算${byDaily ? "，出勤和缺卡由每日统计得出，计入校区外" : ""}`,
      `原始记录 is missing: campus days, late arrivals and early leaves are not computed${byDaily ? "; attendance and missing punches are taken from 每日统计 and counted as off-site" : ""}`,
    ),
    ...present.flatMap((sheet) => {
      const lacking = subtract(joinRuns(wanted), spansOf(spans, sheet));
      const [zh, en] = isBoth && sheet !== "daily" ? notComputed : ["", ""];
      return warnIf(
        lacking.length > 0,
        `${sheetNames[sheet]}未覆盖 ${writeRuns(lacking)}${zh}`,
        `${sheetNames[sheet]} does not cover ${writeRuns(lacking, "en")}${en}`,
      );
    }),
  ];
}

const notComputed = [
  "：这些日期的校区天数、缺卡、迟到、早退未计算",
  ": campus days, missing punches, late arrivals and early leaves are not computed for these days",
] as const;
