import type { Language } from "#platform/contract/language.ts";
import { writeDay } from "#services/attendance/local-times.ts";
import { copiedColumns, type CopiedField, copiedFields } from "#services/attendance/copied-columns.ts";
import type { EmployeeMonth } from "#services/attendance/model.ts";
import {
  dropRepeated,
  type Evidence,
  texts,
  toCell,
  toCellEvidence,
  type Told,
  toPunchEvidence,
  toSourceEvidence,
} from "./evidence.ts";
import type { AttendedDay, Findings, LatePunch, ValidPunch } from "./findings.ts";
import type { Campus } from "./rules-campus.ts";
import { readDayCell } from "./rules-day-cell.ts";
import { type Bucket, type Lateness, writeLateness } from "./rules-lateness.ts";
import { type MissingPunch, writeMissing } from "./rules-missing.ts";
import { separator, type SummaryRow, writeAbnormal } from "./summary-row.ts";

export interface Entry {
  /** The day it counts for, yyyy-MM-dd; "" for a figure that the month sheet gives for the whole month. */
  readonly day: string;
  /** What it adds to a figure that is a count. */
  readonly counts: number;
  readonly text: string;
  readonly evidence: readonly Evidence[];
}

/** How the entries make the figure: a number is the sum of `counts`, a record the texts joined, a copy the one text. */
export type FigureKind = "number" | "record" | "copy";
export type FigureField = Exclude<
  keyof SummaryRow,
  "workName" | "groupOfCheck" | "department" | "workNum" | "idCard" | "userId"
>;

export interface Figure {
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
