import type { Language } from "#platform/contract/language.ts";
import { findOwner, readDay, writeDay, writeMinute } from "#services/attendance/days.ts";
import { findCell } from "#services/attendance/figures.ts";
import {
  copiedColumns,
  type CopiedField,
  copiedFields,
  type DailyRow,
  type DatedSheet,
  type EmployeeMonth,
  type Minute,
  type PunchRow,
} from "#services/attendance/model.ts";
import type { AttendedDay, Findings, LatePunch, ValidPunch } from "./findings.ts";
import { type MissingPunch, readDayCell, writeMissing } from "./rules-missing.ts";
import { type Bucket, type Campus, type Ground, type Lateness, type Place, writeLateness } from "./rules-punches.ts";
import { joinLines, separator, type SummaryRow, writeAbnormal } from "./summary-row.ts";

export interface Entry {
  /** The day it counts for, yyyy-MM-dd; "" for a figure that the month sheet gives for the whole month. */
  readonly day: string;
  /** What it adds to a figure that is a count. */
  readonly counts: number;
  readonly text: string;
  readonly evidence: Evidence[];
}

/** How the entries make the figure: a number is the sum of `counts`, a record the texts joined, a copy the one text. */
type FigureKind = "number" | "record" | "copy";
type FigureField = Exclude<
  keyof SummaryRow,
  "workName" | "groupOfCheck" | "department" | "workNum" | "idCard" | "userId"
>;

interface Figure {
  readonly field: FigureField;
  readonly kind: FigureKind;
  /** What the entries add up to, which is what the row says. */
  readonly value: string;
  readonly entries: Entry[];
}

export type Explanation = Figure[];

/** A figure before its entries are added up. */
type Said = readonly [field: FigureField, kind: FigureKind, entries: Entry[]];

/**
 * Every figure of the summary row, in its order, with the day cells and raw punches behind it. What quotes the row or a
 * sheet is in their language, whatever the reader's. Errors: none.
 */
export function explainFindings(
  { basis, summary }: EmployeeMonth,
  { days, late, abnormal }: Findings,
  language: Language,
): Explanation {
  const told: Told = { basis, summary, t: texts[language] };
  const placed = days.map((day) => ({ day, entry: toDayEntry(day, told) }));
  const abnormalDays = days.filter((day) => day.abnormal.length > 0);
  const figures: Said[] = [
    ...explainCampus(1, placed, told),
    ...explainCampus(2, placed, told),
    ["abnormalClockNumber", "number", abnormalDays.map((day) => toAbnormalDay(day, told))],
    ["abnormalClockRecond", "record", abnormal.map((punch) => toPunchEntry(punch, told))],
    ...explainLateness("late", late, told),
    ...explainLateness("early", late, told),
    ["attendanceDays", "number", placed.map(({ entry }) => entry)],
    ...copiedFields.map((field): Said => [field, "copy", explainCopied(field, told)]),
  ];
  return figures.map(([field, kind, entries]) => ({ field, kind, value: addUp(kind, entries), entries }));
}

/** What entries add up to, as text. */
export function addUp(kind: FigureKind, entries: readonly Entry[]): string {
  if (kind === "number") return String(entries.reduce((sum, { counts }) => sum + counts, 0));
  return entries.map(({ text }) => text).join(separator);
}

interface PlacedEntry {
  readonly day: AttendedDay;
  readonly entry: Entry;
}

function explainCampus(campus: Campus, placed: readonly PlacedEntry[], told: Told): Said[] {
  const name = campus === 1 ? "Huangjiahu" : "Moxuanhu";
  const here = placed.filter(({ day }) => day.place === campus);
  const { attended = [], short = [] } = Object.groupBy(here, ({ day }) =>
    day.missing.length > 0 ? "short" : "attended",
  );
  const records = short.flatMap(({ day }) => day.missing.map((slot) => toMissingEntry(day.day, slot, told)));
  const entriesOf = (entries: readonly PlacedEntry[]): Entry[] => entries.map(({ entry }) => entry);
  return [
    [`daysOfAttendanceIn${name}`, "number", entriesOf(attended)],
    [`daysOfcardShortageIn${name}`, "number", entriesOf(short)],
    [`recondOfcardShortageIn${name}`, "record", records],
    [`sumAttendanceIn${name}`, "number", entriesOf(here)],
  ];
}

const toEntry = (day: string, text: string, evidence: readonly Evidence[], told: Told): Entry => ({
  day,
  counts: 1,
  text,
  evidence: [...toCellEvidence(day, told), ...evidence],
});

function toDayEntry({ day, place, ground, punches, missing }: AttendedDay, told: Told): Entry {
  const { t } = told;
  const said = new Set(missing.flatMap(({ source }) => source ?? []));
  const text = t.day(day.slice(5), t.places[place], t.grounds[ground]) + (missing.length > 0 ? t.missing : "");
  return toEntry(
    day,
    text,
    [...said, ...punches.map(({ row }) => row)].map((row) => toEvidence(row, told)),
    told,
  );
}

const toMissingEntry = (day: string, slot: MissingPunch, told: Told): Entry =>
  toEntry(day, writeMissing(day, slot), slot.source === null ? [] : [toEvidence(slot.source, told)], told);

function toAbnormalDay({ day, abnormal }: AttendedDay, told: Told): Entry {
  const evidence = abnormal.map(({ row }) => toEvidence(row, told));
  return toEntry(day, abnormal.map(writeAbnormal).join(separator), evidence, told);
}

const toPunchEntry = (punch: ValidPunch, told: Told): Entry =>
  toEntry(writeDay(punch.row.day), writeAbnormal(punch), [toEvidence(punch.row, told)], told);

function explainLateness(kind: Lateness, late: readonly LatePunch[], told: Told): Said[] {
  const name = kind === "late" ? "Late" : "Leave";
  const entries = late
    .filter((each) => each.kind === kind)
    .map((each) => ({ bucket: each.bucket, entry: toLateEntry(each, told) }));
  const pick = (wanted: Bucket): Entry[] => entries.flatMap(({ bucket, entry }) => (bucket === wanted ? entry : []));
  return [
    [`leTwenty${name}Number`, "number", pick(0)],
    [`lequalThirty${name}Number`, "number", pick(1)],
    [`geThirty${name}Number`, "number", pick(2)],
    [kind === "late" ? "lateOfRecond" : "leaveOfRecond", "record", entries.map(({ entry }) => entry)],
  ];
}

function toLateEntry(late: LatePunch, told: Told): Entry {
  const evidence = late.rows.map((row) => toEvidence(row, told));
  return toEntry(late.day, writeLateness(late.time, late), evidence, told);
}

function explainCopied(field: CopiedField, told: Told): Entry[] {
  const { basis, summary } = told;
  const text = summary.copied[field];
  if (text === "") return [];
  const own = summary.sources
    .filter(({ importId, copied }) => basis.plan.sources[field].includes(importId) && copied[field] !== "")
    .map(({ importId, row, copied }): Evidence => ({ sheet: "month", row, text: copied[field], import: importId }));
  const { about } = copiedColumns[field];
  const cells = summary.days.flatMap((cell, index) => {
    const isAbout = about && cell !== "" && readDayCell(cell).events.some((event) => about.test(event));
    return isAbout ? toCell(index, cell, told) : [];
  });
  return [{ day: "", counts: 0, text, evidence: [...own, ...cells] }];
}

// The places in the sheets that bear a figure out, and the words for them.

/** A place in a sheet that bears an entry out. */
interface Evidence {
  readonly sheet: DatedSheet;
  readonly row: number;
  readonly text: string;
  readonly import: number;
}

interface Told extends Pick<EmployeeMonth, "basis" | "summary"> {
  readonly t: Texts;
}

type Texts = (typeof texts)[Language];

const texts = {
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
    day: (day: string, place: string, ground: string) => `${day} ${place}（${ground}）`,
    dayOfMonth: (day: number) => `${day}日`,
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
    day: (day: string, place: string, ground: string) => `${day} ${place} (${ground})`,
    dayOfMonth: (day: number) => `Day ${day}:`,
    scheduled: "scheduled",
    punched: "punched",
    comma: ", ",
  },
} satisfies Record<
  Language,
  { grounds: Record<Ground, string>; places: Record<Place, string>; [text: string]: unknown }
>;

function toCellEvidence(day: string, told: Told): Evidence[] {
  const index = Number(day.slice(8)) - 1;
  const cell = told.summary.days[index] ?? "";
  return cell === "" ? [] : toCell(index, cell, told);
}

function toCell(index: number, cell: string, { basis, summary, t }: Told): Evidence[] {
  const owner = findOwner(basis.spans, "month", readDay(`${basis.month}-01`) + index);
  const source = findCell(summary.sources, owner, index);
  if (!source) return [];
  const text = `${t.dayOfMonth(index + 1)} ${joinLines(cell)}`;
  return [{ sheet: "month", row: source.row, text, import: source.importId }];
}

const writeTime = (time: Minute | null): string => (time === null ? "-" : writeMinute(time));

function toEvidence(source: DailyRow | PunchRow, { basis, t }: Told): Evidence {
  const { row, day } = source;
  const [sheet, parts] =
    "slots" in source ? (["daily", listDaily(source)] as const) : (["original", listPunch(source, t)] as const);
  const text = parts.filter((part) => part !== "").join(t.comma);
  return { sheet, row, text, import: findOwner(basis.spans, sheet, day) ?? 0 };
}

const listPunch = ({ scheduled, time, mark }: PunchRow, t: Texts): string[] => [
  `${t.scheduled} ${writeTime(scheduled)}`,
  `${t.punched} ${writeTime(time)}`,
  mark.result,
  mark.address,
];

const listDaily = ({ day, shift, slots }: DailyRow): string[] => [
  writeDay(day),
  shift,
  ...slots.map(({ kind, number, time, result }) => `${kind}${number} ${time?.slice(11) ?? "-"} ${result}`.trim()),
];
