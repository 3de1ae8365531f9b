import type { Language } from "#platform/contract/language.ts";
import { findOwner, readDay, writeDay, writeMinute } from "#services/attendance/days.ts";
import { findCell } from "#services/attendance/figures.ts";
import {
  copiedColumns,
  type CopiedField,
  copiedFields,
  type DailyRow,
  type DatedSheet,
  type Day,
  type EmployeeMonth,
  type Minute,
  type PunchRow,
} from "#services/attendance/model.ts";
import type { AttendedDay, Findings, LatePunch, ValidPunch } from "./findings.ts";
import { type MissingPunch, readDayCell, writeMissing } from "./rules-missing.ts";
import { type Bucket, type Campus, type Ground, type Lateness, writeLateness } from "./rules-punches.ts";
import { joinLines, separator, type SummaryRow, writeAbnormal } from "./summary-row.ts";

export interface Entry {
  /** The day it counts for, yyyy-MM-dd; "" for a figure that the month sheet gives for the whole month. */
  readonly day: string;
  /** What it adds to a figure that is a count. */
  readonly counts: number;
  readonly text: string;
  readonly evidence: readonly Evidence[];
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
  readonly entries: readonly Entry[];
}

export type Explanation = readonly Figure[];

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
  const dayEntries = days.map((day) => ({ day, entry: toDayEntry(day, told) }));
  const pick = (holds: (day: AttendedDay) => boolean): Entry[] =>
    dayEntries.flatMap(({ day, entry }) => (holds(day) ? entry : []));
  return [
    ...explainCampus(1, days, told, pick),
    ...explainCampus(2, days, told, pick),
    toNumber(
      "abnormalClockNumber",
      days.filter((day) => day.abnormal.length > 0).map((day) => toAbnormalDay(day, told)),
    ),
    toRecord(
      "abnormalClockRecond",
      abnormal.map((punch) => toAbnormalEntry(punch, told)),
    ),
    ...explainLateness("late", late, told),
    ...explainLateness("early", late, told),
    toNumber(
      "attendanceDays",
      pick(() => true),
    ),
    ...copiedFields.map((field) => explainCopied(field, told)),
  ];
}

/** What entries add up to, as text. */
export function addUp(kind: FigureKind, entries: readonly Entry[]): string {
  if (kind === "number") return String(entries.reduce((sum, { counts }) => sum + counts, 0));
  return entries.map(({ text }) => text).join(separator);
}

const toFigure = (field: FigureField, kind: FigureKind, entries: readonly Entry[]): Figure => ({
  field,
  kind,
  value: addUp(kind, entries),
  entries,
});
const toNumber = (field: FigureField, entries: readonly Entry[]): Figure => toFigure(field, "number", entries);
const toRecord = (field: FigureField, entries: readonly Entry[]): Figure => toFigure(field, "record", entries);

type PickDays = (holds: (day: AttendedDay) => boolean) => Entry[];

const campusFields = {
  1: [
    "daysOfAttendanceInHuangjiahu",
    "daysOfcardShortageInHuangjiahu",
    "recondOfcardShortageInHuangjiahu",
    "sumAttendanceInHuangjiahu",
  ],
  2: [
    "daysOfAttendanceInMoxuanhu",
    "daysOfcardShortageInMoxuanhu",
    "recondOfcardShortageInMoxuanhu",
    "sumAttendanceInMoxuanhu",
  ],
} as const;

function explainCampus(campus: Campus, days: readonly AttendedDay[], told: Told, pick: PickDays): Figure[] {
  const [attended, short, records, sum] = campusFields[campus];
  const isHere = ({ place }: AttendedDay): boolean => place === campus;
  return [
    toNumber(
      attended,
      pick((day) => isHere(day) && day.missing.length === 0),
    ),
    toNumber(
      short,
      pick((day) => isHere(day) && day.missing.length > 0),
    ),
    toRecord(
      records,
      days.filter(isHere).flatMap((day) => day.missing.map((slot) => toMissingEntry(day.day, slot, told))),
    ),
    toNumber(sum, pick(isHere)),
  ];
}

function toDayEntry({ day, place, ground, punches, missing }: AttendedDay, told: Told): Entry {
  const { t } = told;
  const said = missing.flatMap(({ source }) => (source === null ? [] : toSourceEvidence(source, told)));
  return {
    day,
    counts: 1,
    text: t.day(day.slice(5), t.places[place], t.grounds[ground]) + (missing.length > 0 ? t.missing : ""),
    evidence: [
      ...toCellEvidence(day, told),
      ...dropRepeated(said),
      ...punches.map(({ row }) => toPunchEvidence(row, told)),
    ],
  };
}

function toMissingEntry(day: string, slot: MissingPunch, told: Told): Entry {
  const said = slot.source === null ? [] : [toSourceEvidence(slot.source, told)];
  return { day, counts: 1, text: writeMissing(day, slot), evidence: [...toCellEvidence(day, told), ...said] };
}

function toAbnormalDay({ day, abnormal }: AttendedDay, told: Told): Entry {
  const evidence = [...toCellEvidence(day, told), ...abnormal.map(({ row }) => toPunchEvidence(row, told))];
  return { day, counts: 1, text: abnormal.map(writeAbnormal).join(separator), evidence };
}

function toAbnormalEntry(punch: ValidPunch, told: Told): Entry {
  const day = writeDay(punch.row.day);
  const evidence = [...toCellEvidence(day, told), toPunchEvidence(punch.row, told)];
  return { day, counts: 1, text: writeAbnormal(punch), evidence };
}

const latenessFields = {
  late: ["leTwentyLateNumber", "lequalThirtyLateNumber", "geThirtyLateNumber", "lateOfRecond"],
  early: ["leTwentyLeaveNumber", "lequalThirtyLeaveNumber", "geThirtyLeaveNumber", "leaveOfRecond"],
} as const;
const buckets: readonly Bucket[] = [0, 1, 2];

function explainLateness(kind: Lateness, late: readonly LatePunch[], told: Told): Figure[] {
  const entries = late
    .filter((each) => each.kind === kind)
    .map((each) => ({ bucket: each.bucket, entry: toLateEntry(each, told) }));
  const fields = latenessFields[kind];
  return [
    ...buckets.map((bucket) =>
      toNumber(
        fields[bucket],
        entries.flatMap((each) => (each.bucket === bucket ? each.entry : [])),
      ),
    ),
    toRecord(
      fields[3],
      entries.map(({ entry }) => entry),
    ),
  ];
}

const toLateEntry = (late: LatePunch, told: Told): Entry => ({
  day: late.day,
  counts: 1,
  text: writeLateness(late.time, late),
  evidence: [...toCellEvidence(late.day, told), ...late.rows.map((row) => toPunchEvidence(row, told))],
});

function explainCopied(field: CopiedField, told: Told): Figure {
  const { basis, summary } = told;
  const value = summary.copied[field];
  const own = summary.sources
    .filter(({ importId, copied }) => basis.figureImports[field].includes(importId) && copied[field] !== "")
    .map(({ importId, row, copied }): Evidence => ({ sheet: "month", importId, row, text: copied[field] }));
  const pattern = copiedColumns[field].about;
  const cells = summary.days.flatMap((cell, index) => {
    const isAbout =
      pattern !== undefined && cell !== "" && readDayCell(cell).events.some((event) => pattern.test(event));
    return isAbout ? toCell(index, cell, told) : [];
  });
  const entry = { day: "", counts: 0, text: value, evidence: [...own, ...cells] };
  return toFigure(field, "copy", value === "" ? [] : [entry]);
}

// The places in the sheets that bear a figure out, and the words for them.

/** A place in a sheet that bears an entry out. */
interface Evidence {
  readonly sheet: DatedSheet;
  /** The import that the row came with. */
  readonly importId: number;
  /** The sheet's own row number. */
  readonly row: number;
  readonly text: string;
}

/** What an employee's entries are written from. */
interface Told extends Pick<EmployeeMonth, "basis" | "summary"> {
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

const texts: Readonly<Record<Language, Texts>> = {
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
  return [{ sheet: "month", importId: source.importId, row: source.row, text }];
}

const writeTime = (time: Minute | null): string => (time === null ? "-" : writeMinute(time));

const join = (parts: readonly string[], { comma }: Texts): string => parts.filter((part) => part !== "").join(comma);

/** Which import a row of a day came with. */
const ownerOf = (sheet: DatedSheet, day: Day, { basis }: Told): number => findOwner(basis.spans, sheet, day) ?? 0;

const toPunchEvidence = ({ row, day, scheduled, time, mark }: PunchRow, told: Told): Evidence => ({
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

const toSourceEvidence = (source: DailyRow | PunchRow, told: Told): Evidence =>
  "slots" in source ? toDailyEvidence(source, told) : toPunchEvidence(source, told);

const dropRepeated = (evidence: readonly Evidence[]): Evidence[] =>
  evidence.filter(
    ({ sheet, importId, row }, index) =>
      evidence.findIndex((other) => other.sheet === sheet && other.importId === importId && other.row === row) ===
      index,
  );
