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
