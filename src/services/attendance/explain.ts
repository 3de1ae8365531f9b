import type { AttendedDay, Findings, LatePunch, ValidPunch } from "./findings.ts";
import {
  type CopiedField,
  copiedFields,
  type DailyRow,
  type EmployeeMonth,
  type Minute,
  type MonthRow,
  type PunchRow,
} from "./model.ts";
import { writeDay, writeMinute } from "./local-times.ts";
import { joinLines } from "./month-days.ts";
import type { Campus, Ground } from "./rules-campus.ts";
import { readDayCell } from "./rules-day-cell.ts";
import { type Bucket, type Lateness, writeLateness } from "./rules-lateness.ts";
import { type MissingPunch, writeMissing } from "./rules-missing.ts";
import { separator, type SummaryRow, writeAbnormal } from "./summary-row.ts";

/** A place in a sheet that bears an entry out. */
export interface Evidence {
  readonly sheet: "month" | "daily" | "original";
  /** The sheet's own row number. */
  readonly row: number;
  readonly text: string;
}

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

/** Every figure of the summary row, in its order, with the day cells and raw punches behind it. Errors: none. */
export function explainFindings(input: EmployeeMonth, findings: Findings): Explanation {
  const { days, late, abnormal } = findings;
  const { summary } = input;
  const dayEntries = days.map((day) => ({ day, entry: toDayEntry(day, summary) }));
  const pick = (holds: (day: AttendedDay) => boolean): Entry[] =>
    dayEntries.flatMap(({ day, entry }) => (holds(day) ? entry : []));
  return [
    ...explainCampus(1, days, summary, pick),
    ...explainCampus(2, days, summary, pick),
    toNumber(
      "abnormalClockNumber",
      days.filter((day) => day.abnormal.length > 0).map((day) => toAbnormalDay(day, summary)),
    ),
    toRecord(
      "abnormalClockRecond",
      abnormal.map((punch) => toAbnormalEntry(punch, summary)),
    ),
    ...explainLateness("late", late, summary),
    ...explainLateness("early", late, summary),
    toNumber(
      "attendanceDays",
      pick(() => true),
    ),
    ...copiedFields.map((field) => explainCopied(field, summary)),
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

function explainCampus(campus: Campus, days: readonly AttendedDay[], summary: MonthRow, pick: PickDays): Figure[] {
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
      days.filter(isHere).flatMap((day) => day.missing.map((slot) => toMissingEntry(day.day, slot, summary))),
    ),
    toNumber(sum, pick(isHere)),
  ];
}

const grounds: Readonly<Record<Ground, string>> = {
  punch: "按首次校区打卡",
  elsewhere: "打卡地点在校区外",
  usual: "无打卡地址，按本月最多的校区",
  belonging: "无打卡地址，按部门或考勤组",
  nothing: "无法判断校区，计为校区外",
};
const placeNames = { 1: "校区1", 2: "校区2", "off-site": "校区外" } as const;

function toDayEntry({ day, place, ground, punches, missing }: AttendedDay, summary: MonthRow): Entry {
  const said = missing.flatMap(({ source }) => (source === null ? [] : toSourceEvidence(source)));
  return {
    day,
    counts: 1,
    text: `${day.slice(5)} ${placeNames[place]}（${grounds[ground]}）${missing.length > 0 ? "缺卡" : ""}`,
    evidence: [
      ...toCellEvidence(day, summary),
      ...dropRepeated(said),
      ...punches.map(({ row }) => toPunchEvidence(row)),
    ],
  };
}

function toMissingEntry(day: string, slot: MissingPunch, summary: MonthRow): Entry {
  const said = slot.source === null ? [] : [toSourceEvidence(slot.source)];
  return { day, counts: 1, text: writeMissing(day, slot), evidence: [...toCellEvidence(day, summary), ...said] };
}

function toAbnormalDay({ day, abnormal }: AttendedDay, summary: MonthRow): Entry {
  const evidence = [...toCellEvidence(day, summary), ...abnormal.map(({ row }) => toPunchEvidence(row))];
  return { day, counts: 1, text: abnormal.map(writeAbnormal).join(separator), evidence };
}

function toAbnormalEntry(punch: ValidPunch, summary: MonthRow): Entry {
  const day = writeDay(punch.row.day);
  const evidence = [...toCellEvidence(day, summary), toPunchEvidence(punch.row)];
  return { day, counts: 1, text: writeAbnormal(punch), evidence };
}

const latenessFields = {
  late: ["leTwentyLateNumber", "lequalThirtyLateNumber", "geThirtyLateNumber", "lateOfRecond"],
  early: ["leTwentyLeaveNumber", "lequalThirtyLeaveNumber", "geThirtyLeaveNumber", "leaveOfRecond"],
} as const;
const buckets: readonly Bucket[] = [0, 1, 2];

function explainLateness(kind: Lateness, late: readonly LatePunch[], summary: MonthRow): Figure[] {
  const entries = late
    .filter((each) => each.kind === kind)
    .map((each) => ({ bucket: each.bucket, entry: toLateEntry(each, summary) }));
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

const toLateEntry = (late: LatePunch, summary: MonthRow): Entry => ({
  day: late.day,
  counts: 1,
  text: writeLateness(late.time, late),
  evidence: [...toCellEvidence(late.day, summary), ...late.rows.map(toPunchEvidence)],
});

// The events of day cells that a carried-over column is about. They are shown beside it and need not add up to it: an
// application stands on every day that it covers, and the platform counts by rules of its own.
const aboutCopied: Readonly<Partial<Record<CopiedField, RegExp>>> = {
  restDay: /^休息/,
  numberOfLate: /^(?:上班|下班)?\d*迟到/,
  numberOfLateTime: /^(?:上班|下班)?\d*迟到/,
  numberOfSeriousLateness: /严重迟到/,
  durationOfSevereLateness: /严重迟到/,
  daysOfAbsenteeismAndLateness: /旷工迟到/,
  leaveEarlyNumber: /早退/,
  leaveEarlyTimes: /早退/,
  lackOfWorkCardTimes: /^上班\d*缺卡/,
  lackOfMissingWorkCardTimes: /^下班\d*缺卡/,
  absenteeismDay: /旷工(?!迟到)/,
  evectionDay: /^出差/,
  goOutDay: /^外出/,
  bereavementLeave: /^丧假/,
  privateAffairLeaveDay: /^事假/,
  maternityLeaveDay: /^产假/,
  sickLeaveDay: /^病假/,
  escortFalse: /^(?:陪产假|陪护假|护理假|陪假)/,
  marriageLeaveDay: /^婚假/,
};

function explainCopied(field: CopiedField, summary: MonthRow): Figure {
  const value = summary.copied[field];
  const own: Evidence = { sheet: "month", row: summary.row, text: value };
  const pattern = aboutCopied[field];
  const cells = summary.days.flatMap((cell, index) => {
    const isAbout =
      pattern !== undefined && cell !== "" && readDayCell(cell).events.some((event) => pattern.test(event));
    return isAbout ? toCell(index, cell, summary) : [];
  });
  return toFigure(field, "copy", value === "" ? [] : [{ day: "", counts: 0, text: value, evidence: [own, ...cells] }]);
}

function toCellEvidence(day: string, summary: MonthRow): Evidence[] {
  const index = Number(day.slice(8)) - 1;
  const cell = summary.days[index] ?? "";
  return cell === "" ? [] : [toCell(index, cell, summary)];
}

const toCell = (index: number, cell: string, { row }: MonthRow): Evidence => ({
  sheet: "month",
  row,
  text: `${index + 1}日 ${joinLines(cell)}`,
});

const writeTime = (time: Minute | null): string => (time === null ? "-" : writeMinute(time));

const toPunchEvidence = ({ row, scheduled, time, mark }: PunchRow): Evidence => ({
  sheet: "original",
  row,
  text: [`考勤时间 ${writeTime(scheduled)}`, `打卡时间 ${writeTime(time)}`, mark.result, mark.address]
    .filter((part) => part !== "")
    .join("，"),
});

const toDailyEvidence = ({ row, day, shift, slots }: DailyRow): Evidence => ({
  sheet: "daily",
  row,
  text: [
    writeDay(day),
    shift,
    ...slots.map(({ kind, number, time, result }) => `${kind}${number} ${time?.slice(11) ?? "-"} ${result}`.trim()),
  ]
    .filter((part) => part !== "")
    .join("，"),
});

const toSourceEvidence = (source: DailyRow | PunchRow): Evidence =>
  "slots" in source ? toDailyEvidence(source) : toPunchEvidence(source);

const dropRepeated = (evidence: readonly Evidence[]): Evidence[] =>
  evidence.filter(
    ({ sheet, row }, index) => evidence.findIndex((other) => other.sheet === sheet && other.row === row) === index,
  );
