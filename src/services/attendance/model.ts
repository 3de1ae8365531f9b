import type { Bilingual } from "#platform/contract/language.ts";
import type { Composition } from "./figures.ts";

export type Unit = "天" | "小时" | "分钟" | "次";

interface CopiedColumn {
  /** Without units; the first is the display name. */
  readonly headings: readonly string[];
  /** The unit if the heading has none; durations are minutes or texts with units. */
  readonly unit: Unit;
  /** Description for the contract, where the name does not suffice. */
  readonly means?: string;
  /**
   * Matches related day-cell events. They serve as evidence and need not sum to the figure: an application appears on
   * every day it covers, and the platform has rules of its own.
   */
  readonly about?: RegExp;
}

/** The columns of 月度汇总 copied to the summary row (A17), by wire name, in order. */
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

/** Figures compared with the export (A12b). */
export const heldFields = ["attendanceDay", "lackOfWorkCardTimes", "lackOfMissingWorkCardTimes"] as const;
export type HeldField = (typeof heldFields)[number];

// The domain model: parsed sheets and analysis results. Times are local, without a zone, as DingTalk exports them.

/** Days since 1970-01-01. */
export type Day = number;
/** Minutes since 1970-01-01T00:00, local time. */
export type Minute = number;

export type DatedSheet = "month" | "daily" | "original";

/** Days of a sheet that an import provides, inclusive. */
export interface Span {
  readonly sheet: DatedSheet;
  readonly importId: number;
  readonly firstDay: Day;
  readonly lastDay: Day;
  /** Whether another sheet of the import replaces this one (A1a). */
  readonly isStandIn?: boolean;
}

/** The person of a row; "" for what the sheet lacks. */
export interface Person {
  readonly name: string;
  readonly userId: string;
  readonly workNumber: string;
}

export const warnIf = (holds: boolean, zh: string, en: string): Bilingual[] => (holds ? [{ zh, en }] : []);

export const toWirePerson = ({ name, userId, workNumber }: Person) => ({
  workName: name,
  userId,
  workNum: workNumber,
});

export interface MonthRow extends Person {
  /** Row number in the sheet, from 1. */
  readonly row: number;
  readonly group: string;
  readonly department: string;
  /** Contains extra columns as well, by heading (A17b). */
  readonly copied: Readonly<Record<CopiedField, string> & Record<string, string>>;
  /** Day cells from index 0: lines separated by "\n", "" if empty. */
  readonly days: readonly string[];
}

export interface DailySlot {
  readonly kind: "上班" | "下班";
  /** From 1. */
  readonly number: number;
  /** `yyyy-MM-dd HH:mm`; null if absent. */
  readonly time: string | null;
  readonly result: string;
}

export interface DailyRow {
  readonly row: number;
  readonly day: Day;
  readonly shift: string;
  readonly slots: readonly DailySlot[];
  /** Whether 旷工天数 is a whole day. */
  readonly isAbsent: boolean;
  /** The export's count for each of `heldFields`, as "1 0 1"; "-" for an absent column, "" for none at all. */
  readonly counted: string;
  /** Whether a slot has a valid clock time (A10). */
  readonly hasClock: boolean;
  /** Whether a slot says 缺卡. */
  readonly isShort: boolean;
}

/** 打卡结果 and 打卡地址, shared by many rows of 原始记录. */
export interface PunchMark {
  readonly result: string;
  readonly address: string;
}

export interface PunchRow {
  readonly row: number;
  /** 考勤日期, the day that the punch counts for; on night shifts it differs from the day of `time`. */
  readonly day: Day;
  readonly scheduled: Minute | null;
  readonly time: Minute | null;
  readonly mark: PunchMark;
}

export interface IdentityRow extends Person {
  readonly row: number;
  readonly idCard: string;
}

/** The place of an address: campus 1 or 2, or 0 for a known place off campus. */
export type KnownPlace = 0 | 1 | 2;

/** Keywords by place; both orders are the search order. */
export interface AnalysisSettings {
  readonly campuses: readonly { readonly campus: KnownPlace; readonly keywords: readonly string[] }[];
  /** Upper bounds of the first two buckets in minutes, inclusive: 20 and 30. */
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

/** An employee of the month, composed from the rows of its month sheets. */
export interface Summary extends Omit<MonthRow, "row" | "copied"> {
  readonly employee: number;
  readonly copied: Readonly<Record<CopiedField, string>>;
  readonly extra: Readonly<Record<string, string>>;
  readonly sources: readonly SourceRow[];
}

export const correctionKinds = ["present", "onTime", "leave", "none"] as const;

/** An operator's correction of a day, which the analysis applies last. */
export interface Correction {
  readonly day: Day;
  readonly kind: (typeof correctionKinds)[number];
  /** For present; null: unchanged. */
  readonly campus: 1 | 2 | null;
  readonly hours: number | null;
  readonly evidence: string;
  readonly madeBy: string;
}

/** The complete input for one employee's month; the rows are those matched to the employee (A4). */
export interface EmployeeMonth {
  readonly basis: Composition;
  readonly summary: Summary;
  readonly daily: readonly DailyRow[];
  readonly punches: readonly PunchRow[];
  readonly idCard: string;
  /** Active corrections, at most one per day. */
  readonly corrections: readonly Correction[];
}
