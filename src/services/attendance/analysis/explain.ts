import type { Language } from "#platform/contract/language.ts";
import { findOwner, hasPunches, numberOf, readDay, writeDay, writeMinute } from "#services/attendance/days.ts";
import { findCell } from "#services/attendance/figures.ts";
import {
  copiedColumns,
  copiedFields,
  type Correction,
  type DailyRow,
  type DatedSheet,
  isCopied,
  type PunchRow,
} from "#services/attendance/model.ts";
import type { EmployeeMonth } from "#services/attendance/employee-month.ts";
import type { Findings } from "./findings.ts";
import { readDayCell, writeMissing } from "./rules-missing.ts";
import { type Bucket, type Campus, type Ground, type Lateness, type Place, writeLateness } from "./rules-punches.ts";
import { joinLines, separator, type SummaryRow, writeAbnormal } from "./summary-row.ts";

export interface Entry {
  /** yyyy-MM-dd; "" if the entry is about the whole month. */
  readonly day: string;
  readonly counts: number;
  readonly text: string;
  readonly evidence: Evidence[];
}

/**
 * A "number" figure is the sum of its entries' `counts`, a "record" figure joins their texts, and a "copy" figure has
 * one entry with the text, or none if the text is blank.
 */
type FigureKind = "number" | "record" | "copy";
type FigureField = Exclude<
  keyof SummaryRow,
  "workName" | "groupOfCheck" | "department" | "workNum" | "idCard" | "userId"
>;

type Said = readonly [field: FigureField, kind: FigureKind, entries: Entry[]];

export type Explanation = ReturnType<typeof explainFindings>;

/** Lists the entries from which each figure follows. Texts quoted from a sheet are not translated. */
export function explainFindings(input: EmployeeMonth, { days, late, abnormal }: Findings, language: Language) {
  const t = texts[language];
  const { toEntry, toCopied } = openEntries(input, t);
  const placed = days.map(({ day, counts, place, ground, daily, punches, missing, correction }) => {
    const said = new Set([...daily, ...missing.flatMap(({ source }) => source ?? [])]);
    const more = (missing.length > 0 ? t.missing : "") + (correction ? t.corrected(correction) : "");
    const text = t.day(day.slice(5), t.places[place], t.grounds[ground]) + more;
    const records = missing.map((slot) =>
      toEntry(day, writeMissing(day, slot), slot.source === null ? [] : [slot.source]),
    );
    return { place, counts, records, entry: toEntry(day, text, [...said, ...punches.map(({ row }) => row)]) };
  });
  const abnormalDays = days.flatMap(({ day, abnormal: punches }) => {
    const rows = punches.map(({ row }) => row);
    return rows.length > 0 ? toEntry(day, punches.map(writeAbnormal).join(separator), rows) : [];
  });
  const abnormalPunches = abnormal.map((punch) => toEntry(writeDay(punch.row.day), writeAbnormal(punch), [punch.row]));
  const lateEntries = late.map(({ kind, bucket, day, time, minutes, rows }) => {
    return { kind, bucket, entry: toEntry(day, writeLateness(time, { kind, minutes }), rows) };
  });
  const figures: Said[] = [
    ...explainCampus(1, placed),
    ...explainCampus(2, placed),
    ["abnormalClockNumber", "number", abnormalDays],
    ["abnormalClockRecond", "record", abnormalPunches],
    ...explainLateness("late", lateEntries),
    ...explainLateness("early", lateEntries),
    ["attendanceDays", "number", placed.flatMap(({ counts, entry }) => (counts ? entry : []))],
    ...copiedFields.map((field): Said => [field, "copy", toCopied(field)]),
  ];
  const isBlank = (field: string): boolean => field.startsWith("daysOfcardShortage") && !hasPunches(input.basis.spans);
  return figures.map(([field, kind, entries]) => {
    const value = isBlank(field) ? "" : addUp(kind, entries);
    const unit = isCopied(field) && { unit: input.basis.plan.units[field] ?? copiedColumns[field].unit };
    return { field, kind, value, ...unit, entries };
  });
}

export function explainExtra(input: EmployeeMonth, language: Language) {
  const { toCopied } = openEntries(input, texts[language]);
  return input.basis.plan.extra.map((field) => {
    const entries = toCopied(field);
    return {
      field,
      kind: "copy" as const,
      value: addUp("copy", entries),
      entries,
      unit: input.basis.plan.units[field] ?? "",
    };
  });
}

function isAbout(field: string): (event: string) => boolean {
  if (isCopied(field)) return (event) => copiedColumns[field].about?.test(event) ?? false;
  const start = field.includes("加班") ? "加班" : field;
  return (event) => event.startsWith(start);
}

export function addUp(kind: FigureKind, entries: readonly Entry[]): string {
  if (kind === "number") return String(entries.reduce((sum, { counts }) => sum + counts, 0));
  return entries.map(({ text }) => text).join(separator);
}

interface PlacedEntry {
  readonly place: Place;
  readonly counts: boolean;
  readonly entry: Entry;
  readonly records: readonly Entry[];
}

function explainCampus(campus: Campus, placed: readonly PlacedEntry[]): Said[] {
  const name = campus === 1 ? "Huangjiahu" : "Moxuanhu";
  const here = placed.filter(({ place }) => place === campus);
  const counted = here.filter(({ counts }) => counts);
  const { attended = [], short = [] } = Object.groupBy(counted, ({ records }) =>
    records.length > 0 ? "short" : "attended",
  );
  const entriesOf = (entries: readonly PlacedEntry[]): Entry[] => entries.map(({ entry }) => entry);
  return [
    [`daysOfAttendanceIn${name}`, "number", entriesOf(attended)],
    [`daysOfcardShortageIn${name}`, "number", entriesOf(short)],
    [`recondOfcardShortageIn${name}`, "record", here.flatMap(({ records }) => records)],
    [`sumAttendanceIn${name}`, "number", entriesOf(counted)],
  ];
}

interface LateEntry {
  readonly kind: Lateness;
  readonly bucket: Bucket;
  readonly entry: Entry;
}

function explainLateness(wanted: Lateness, late: readonly LateEntry[]): Said[] {
  const name = wanted === "late" ? "Late" : "Leave";
  const own = late.filter(({ kind }) => kind === wanted);
  const pick = (...buckets: Bucket[]): Entry[] =>
    own.flatMap(({ bucket, entry }) => (buckets.includes(bucket) ? entry : []));
  return [
    [`leTwenty${name}Number`, "number", pick(0)],
    [`lequalThirty${name}Number`, "number", pick(1)],
    [`geThirty${name}Number`, "number", pick(2)],
    [wanted === "late" ? "lateOfRecond" : "leaveOfRecond", "record", pick(0, 1, 2)],
  ];
}

interface Evidence {
  readonly sheet: DatedSheet;
  readonly row: number;
  readonly text: string;
  readonly import: number;
}

type Texts = (typeof texts)[Language];

const texts = {
  zh: {
    grounds: {
      punch: "按首次校区打卡",
      elsewhere: "打卡地点在校区外",
      usual: "无打卡地址，按本月出勤最多的校区",
      belonging: "无打卡地址，按部门或考勤组",
      nothing: "无法判断校区，计为校区外",
      correction: "按更正",
    },
    places: { 1: "校区1", 2: "校区2", "off-site": "校区外" },
    missing: "缺卡",
    corrected: ({ madeBy, evidence }: Correction) => `；${madeBy} 更正：${evidence}`,
    day: (day: string, place: string, ground: string) => `${day} ${place}（${ground}）`,
    dayOfMonth: (day: number) => `${day}日`,
    scheduled: "考勤时间",
    punched: "打卡时间",
    comma: "，",
  },
  en: {
    grounds: {
      punch: "by the first punch at a campus",
      elsewhere: "all punches off site",
      usual: "punches without an address; the month's most frequent campus is used",
      belonging: "punches without an address; the campus of the department or attendance group is used",
      nothing: "campus unknown; counted as off site",
      correction: "from a correction",
    },
    places: { 1: "campus 1", 2: "campus 2", "off-site": "off site" },
    missing: ", a punch is missing",
    corrected: ({ madeBy, evidence }: Correction) => `; corrected by ${madeBy}: ${evidence}`,
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

function openEntries({ basis, summary }: EmployeeMonth, t: Texts) {
  const { firstDay } = basis.days;
  const toCell = (index: number): Evidence[] => {
    const cell = summary.days[index] ?? "";
    const source = cell === "" ? undefined : findCell(summary.sources, basis.cellImports[index], index);
    const text = `${t.dayOfMonth(numberOf(firstDay + index))} ${joinLines(cell)}`;
    return source ? [{ sheet: "month", row: source.row, text, import: source.importId }] : [];
  };
  const toEvidence = (source: DailyRow | PunchRow): Evidence => {
    const [sheet, parts] =
      "slots" in source ? (["daily", listDaily(source)] as const) : (["original", listPunch(source, t)] as const);
    const text = parts.filter((part) => part !== "").join(t.comma);
    return { sheet, row: source.row, text, import: findOwner(basis.spans, sheet, source.day) ?? 0 };
  };
  return {
    toEntry: (day: string, text: string, rows: readonly (DailyRow | PunchRow)[]): Entry => ({
      day,
      counts: 1,
      text,
      evidence: [...toCell(readDay(day) - firstDay), ...rows.map(toEvidence)],
    }),
    toCopied: (field: string): Entry[] => {
      const text = { ...summary.extra, ...summary.copied }[field] ?? "";
      if (text === "") return [];
      const own = summary.sources.flatMap(({ importId, row, copied }): Evidence[] => {
        const said = basis.plan.sources[field]?.includes(importId) ? (copied[field] ?? "") : "";
        return said === "" ? [] : [{ sheet: "month", row, text: said, import: importId }];
      });
      const isOwn = isAbout(field);
      const cells = summary.days.flatMap((cell, index) => (readDayCell(cell).events.some(isOwn) ? toCell(index) : []));
      return [{ day: "", counts: 0, text, evidence: [...own, ...cells] }];
    },
  };
}

const listPunch = ({ scheduled, time, mark }: PunchRow, t: Texts): string[] => {
  const [due, punched] = [scheduled, time].map((minute) => (minute === null ? "-" : writeMinute(minute)));
  return [`${t.scheduled} ${due}`, `${t.punched} ${punched}`, mark.result, mark.address];
};

const listDaily = ({ day, shift, slots }: DailyRow): string[] => [
  writeDay(day),
  shift,
  ...slots.map(({ kind, number, time, result }) => `${kind}${number} ${time?.slice(11) ?? "-"} ${result}`.trim()),
];
