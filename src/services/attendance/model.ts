import type { Bilingual } from "#platform/contract/language.ts";
import type { Composition } from "./figures.ts";

/** The units of figures in 月度汇总. */
export type Unit = "天" | "小时" | "分钟" | "次";

interface CopiedColumn {
  /** Without units; the first is the one to name to people. */
  readonly headings: readonly string[];
  /** The one that it has when its heading says none: durations are minutes, or texts with their units. */
  readonly unit: Unit;
  /** What the contract says of it, where its name does not. */
  readonly means?: string;
  /**
   * The events of day cells that it is about. They are shown beside it and need not add up to it: an application stands on
   * every day that it covers, and the platform counts by rules of its own.
   */
  readonly about?: RegExp;
}

/** The columns of 月度汇总 that the summary row carries over as they are (A17), by their wire names and in their order. */
const columns = {
  attendanceDay: { headings: ["出勤天数"], unit: "天" },
  restDay: { headings: ["休息天数"], unit: "天", about: /^休息/ },
  workHours: { headings: ["工作时长"], unit: "分钟" },
  numberOfLate: { headings: ["迟到次数"], unit: "次", about: /^(?:上班|下班)?\d*迟到/ },
  numberOfLateTime: { headings: ["迟到时长"], unit: "分钟", about: /^(?:上班|下班)?\d*迟到/ },
  numberOfSeriousLateness: { headings: ["严重迟到次数"], unit: "次", about: /严重迟到/ },
  durationOfSevereLateness: { headings: ["严重迟到时长"], unit: "分钟", about: /严重迟到/ },
  daysOfAbsenteeismAndLateness: { headings: ["旷工迟到天数", "旷工迟到次数"], unit: "天", about: /旷工迟到/ },
  leaveEarlyNumber: { headings: ["早退次数"], unit: "次", about: /早退/ },
  leaveEarlyTimes: { headings: ["早退时长"], unit: "分钟", about: /早退/ },
  lackOfWorkCardTimes: { headings: ["上班缺卡次数"], unit: "次", means: "Missing clock-ins", about: /^上班\d*缺卡/ },
  lackOfMissingWorkCardTimes: {
    headings: ["下班缺卡次数"],
    unit: "次",
    means: "Missing clock-outs",
    about: /^下班\d*缺卡/,
  },
  absenteeismDay: { headings: ["旷工天数"], unit: "天", about: /旷工(?!迟到)/ },
  evectionDay: { headings: ["出差", "出差时长", "出差天数"], unit: "天", means: "Business-trip days", about: /^出差/ },
  goOutDay: { headings: ["外出", "外出时长", "外出天数"], unit: "天", about: /^外出/ },
  bereavementLeave: { headings: ["丧假"], unit: "天", about: /^丧假/ },
  privateAffairLeaveDay: { headings: ["事假"], unit: "天", about: /^事假/ },
  maternityLeaveDay: { headings: ["产假"], unit: "天", about: /^产假/ },
  sickLeaveDay: { headings: ["病假"], unit: "天", about: /^病假/ },
  escortFalse: {
    headings: ["陪产假", "陪护假", "护理假", "陪假"],
    unit: "天",
    means: "Accompanying leave",
    about: /^(?:陪产假|陪护假|护理假|陪假)/,
  },
  marriageLeaveDay: { headings: ["婚假"], unit: "天", about: /^婚假/ },
} satisfies Record<string, CopiedColumn>;

export type CopiedField = keyof typeof columns;
export const copiedColumns: Readonly<Record<CopiedField, CopiedColumn>> = columns;
export const copiedFields = Object.keys(columns) as readonly CopiedField[];
export const isCopied = (text: string): text is CopiedField => Object.hasOwn(columns, text);

/** The figures of the export that the service holds its own against (A12b). */
export const heldFields = ["attendanceDay", "lackOfWorkCardTimes", "lackOfMissingWorkCardTimes"] as const;
export type HeldField = (typeof heldFields)[number];

// The vocabulary of the service: what the three sheets say once they are read, and what the analysis makes of it.
// Times are local and without a zone, as DingTalk exports them.

/** Counted from 1970-01-01. */
export type Day = number;
/** Counted from the beginning of that day. */
export type Minute = number;

/** The sheets whose rows are of days. */
export type DatedSheet = "month" | "daily" | "original";

/** Days of a month, both inclusive, that an import gives of a sheet. */
export interface Span {
  readonly sheet: DatedSheet;
  readonly importId: number;
  readonly firstDay: Day;
  readonly lastDay: Day;
  /** Whether another sheet of the import stands in for this one (A1a). */
  readonly isStandIn?: boolean;
}

/** Who a row is about, as far as the sheet says; "" where it says nothing. */
export interface Person {
  readonly name: string;
  readonly userId: string;
  readonly workNumber: string;
}

export const warnIf = (holds: boolean, zh: string, en: string): Bilingual[] => (holds ? [{ zh, en }] : []);

/** A person under the contract's names. */
export const toWirePerson = ({ name, userId, workNumber }: Person) => ({
  workName: name,
  userId,
  workNum: workNumber,
});

/** One employee of 月度汇总. */
export interface MonthRow extends Person {
  /** The sheet's own row number, from 1. */
  readonly row: number;
  readonly group: string;
  readonly department: string;
  /** Further columns, which no field takes, stand here by their headings (A17b). */
  readonly copied: Readonly<Record<CopiedField, string> & Record<string, string>>;
  /** The cells of the month's days, index 0 for the first: lines separated by "\n", "" where there is none. */
  readonly days: readonly string[];
}

/** One clock of one day of 每日统计. */
export interface DailySlot {
  readonly kind: "上班" | "下班";
  /** From 1. */
  readonly number: number;
  /** `yyyy-MM-dd HH:mm`, or null for none. */
  readonly time: string | null;
  readonly result: string;
}

/** One employee's day of 每日统计. */
export interface DailyRow {
  readonly row: number;
  readonly day: Day;
  readonly shift: string;
  readonly slots: readonly DailySlot[];
  /** A whole 旷工天数. */
  readonly isAbsent: boolean;
  /** What the export counts of the day of each of `heldFields`, as "1 0 1"; "-" for a column that is not there, "" for none at all. */
  readonly counted: string;
  /** A slot has a clock time that counts (A10). */
  readonly hasClock: boolean;
  /** A slot says 缺卡. */
  readonly isShort: boolean;
}

/** 打卡结果 and 打卡地址, which many rows of 原始记录 have in common. */
export interface PunchMark {
  readonly result: string;
  readonly address: string;
}

/** One row of 原始记录. */
export interface PunchRow {
  readonly row: number;
  /** 考勤日期: the day that the punch counts for, which overnight is not the day of `time`. */
  readonly day: Day;
  readonly scheduled: Minute | null;
  readonly time: Minute | null;
  readonly mark: PunchMark;
}

/** One row of the identity sheet. */
export interface IdentityRow extends Person {
  readonly row: number;
  readonly idCard: string;
}

/** Where a keyword in an address puts a punch: at a campus, or at a known place that is none. */
export type KnownPlace = 0 | 1 | 2;

/** Which place a keyword in an address means; the order of places and of keywords is the order in which they are looked for. */
export interface AnalysisSettings {
  readonly campuses: readonly { readonly campus: KnownPlace; readonly keywords: readonly string[] }[];
  /** Upper edges in minutes of the first two buckets, each inclusive: 20 and 30. */
  readonly bucketEdges: readonly [number, number];
}

export const standardSettings: AnalysisSettings = {
  campuses: [
    { campus: 1, keywords: ["黄家湖"] },
    { campus: 2, keywords: ["墨轩湖"] },
  ],
  bucketEdges: [20, 30],
};

export type SourceRow = Pick<MonthRow, "row" | "copied" | "days"> & { readonly importId: number };

/** One employee of the month, put together out of the rows that its month sheets have of them. */
export interface Summary extends Omit<MonthRow, "row" | "copied"> {
  readonly employee: number;
  readonly copied: Readonly<Record<CopiedField, string>>;
  /** The further columns that the month has, by their headings. */
  readonly extra: Readonly<Record<string, string>>;
  readonly sources: readonly SourceRow[];
}

export const correctionKinds = ["present", "onTime", "leave", "none"] as const;

/** What somebody with the right to it says of an employee's day, which the analysis applies last. */
export interface Correction {
  readonly day: Day;
  readonly kind: (typeof correctionKinds)[number];
  /** Of present; null: where the day counts otherwise. */
  readonly campus: 1 | 2 | null;
  /** Of leave. */
  readonly hours: number | null;
  readonly evidence: string;
  readonly madeBy: string;
}

/** All that the analysis knows of one employee's month; the rows are those joined to the employee (A4). */
export interface EmployeeMonth {
  readonly basis: Composition;
  readonly summary: Summary;
  readonly daily: readonly DailyRow[];
  readonly punches: readonly PunchRow[];
  readonly idCard: string;
  /** Those that stand, one a day at most. */
  readonly corrections: readonly Correction[];
}
