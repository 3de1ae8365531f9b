import type { Bilingual } from "#platform/contract/language.ts";

export type Unit = "天" | "小时" | "分钟" | "次";

/**
 * The units that differ from a field's default unit, by field. Extra columns have no default, so all of their units are
 * here, by heading.
 */
export type Units = Readonly<Partial<Record<string, Unit>>>;

interface CopiedColumn {
  /** The accepted headings, without units. The first one is shown. */
  readonly headings: readonly string[];
  /** The unit if the column's heading states none. */
  readonly unit: Unit;
  readonly means?: string;
  /**
   * The events in day cells that are evidence of the figure. They need not add up to the figure: an application is in
   * the cell of every day that it covers, and DingTalk has its own rules.
   */
  readonly about?: RegExp;
}

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

export const heldFields = ["attendanceDay", "lackOfWorkCardTimes", "lackOfMissingWorkCardTimes"] as const;
export type HeldField = (typeof heldFields)[number];

// Days and times are local and have no time zone, as in DingTalk's exports.

export type Day = number;
/** Minutes since 1970-01-01T00:00 local time. */
export type Minute = number;

export type DatedSheet = "month" | "daily" | "original";

/** The days of a sheet that an import provides. Both days are inclusive. */
export interface Span {
  readonly sheet: DatedSheet;
  readonly importId: number;
  readonly firstDay: Day;
  readonly lastDay: Day;
  /** Whether the sheet is missing in the import and was derived from another sheet (A1a). */
  readonly isStandIn?: boolean;
}

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
  readonly row: number;
  readonly group: string;
  readonly department: string;
  /** Includes the extra columns, by heading (A17b). */
  readonly copied: Readonly<Record<CopiedField, string> & Record<string, string>>;
  /** The cells of the period's days, by the day's index. Lines are separated by "\n". */
  readonly days: readonly string[];
}

export interface DailySlot {
  readonly kind: "上班" | "下班";
  readonly number: number;
  readonly time: string | null;
  readonly result: string;
}

export interface DailyRow {
  readonly row: number;
  readonly day: Day;
  readonly shift: string;
  readonly slots: readonly DailySlot[];
  readonly isAbsent: boolean;
  /**
   * The export's counts for `heldFields`, such as "1 0 1", with "-" for a missing column; "" if all of these columns
   * are missing.
   */
  readonly counted: string;
  readonly hasClock: boolean;
  readonly isShort: boolean;
}

/** The result and address of a punch, shared by the many rows of 原始记录 that have the same ones. */
export interface PunchMark {
  readonly result: string;
  readonly address: string;
}

export interface PunchRow {
  readonly row: number;
  /** 考勤日期, the day that the punch counts for. On night shifts it differs from the day of `time`. */
  readonly day: Day;
  readonly scheduled: Minute | null;
  readonly time: Minute | null;
  readonly mark: PunchMark;
}

export interface IdentityRow extends Person {
  readonly row: number;
  readonly idCard: string;
}

/** Campus 1 or 2, or 0 for a known place off campus. */
export type KnownPlace = 0 | 1 | 2;

/**
 * An address is compared with the places in the order of `campuses`, and with each place's keywords in their order; the
 * first match counts.
 */
export interface AnalysisSettings {
  readonly campuses: readonly { readonly campus: KnownPlace; readonly keywords: readonly string[] }[];
  /** The upper bounds of the first two buckets, in minutes and inclusive. */
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

export interface Summary extends Omit<MonthRow, "row" | "copied"> {
  readonly employee: number;
  readonly copied: Readonly<Record<CopiedField, string>>;
  readonly extra: Readonly<Record<string, string>>;
  readonly sources: readonly SourceRow[];
}

export const correctionKinds = ["present", "onTime", "leave", "none"] as const;

/** A manual correction of an employee's day, which the analysis applies last. */
export interface Correction {
  readonly day: Day;
  readonly kind: (typeof correctionKinds)[number];
  /** Only set for a day that is corrected to present; null leaves the day's place unchanged. */
  readonly campus: 1 | 2 | null;
  readonly hours: number | null;
  readonly evidence: string;
  readonly madeBy: string;
}
