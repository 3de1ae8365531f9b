import type { PunchMark } from "#services/attendance/model.ts";
import type { FindCampus, PunchPlace } from "./rules-campus.ts";

/**
 * What a 打卡结果 says of its row. A row that is "void" or "excused" is no punch (A10); "approved" is a punch under an
 * application, which is neither late, early nor out of place; "missing" says that there was none; "unknown" counts as a
 * punch on time, and is reported.
 */
export type PunchMeaning = "void" | "excused" | "approved" | "missing" | "on-time" | "late" | "early" | "unknown";

const approved: ReadonlySet<string> = new Set(["出差", "外出", "加班"]);
const onTime: ReadonlySet<string> = new Set(["正常", "补卡审批通过", ""]);
const duration = String.raw`(?:\d+小时)?(?:\d+分钟)?`;
const late = new RegExp(`^(?:严重|旷工)?迟到${duration}$`);
const early = new RegExp(`^早退${duration}$`);
const missing = /^(?:上班|下班)?\d*(?:缺卡|未打卡)$/;
const corrected = /^管理员.*改为正常$/;
// 外勤 says where, not when: what stands beside it says that.
const offSiteMark = /[,，、\s]*外勤(?:打卡)?[,，、\s]*/g;

// No result but an invalid punch's reason is longer, and a cell may hold 32,767 characters.
const longestResult = 100;

/** Errors: none. The text is that of 原始记录, or of a clock in 每日统计. */
export function readResult(text: string): PunchMeaning {
  if (text === "正常") return "on-time";
  if (text.startsWith("打卡无效")) return "void";
  if (text === "请假") return "excused";
  if (text.length > longestResult) return "unknown";
  const timing = isOffSite(text) ? text.replace(offSiteMark, "") : text;
  if (onTime.has(timing) || corrected.test(timing)) return "on-time";
  if (approved.has(timing)) return "approved";
  if (late.test(timing)) return "late";
  if (early.test(timing)) return "early";
  return missing.test(timing) ? "missing" : "unknown";
}

/** Whether the result marks a punch made outside the places that the platform knows. */
export const isOffSite = (text: string): boolean => text.includes("外勤");

/** What a mark says of every punch that bears it. */
export interface MarkReading extends PunchPlace {
  readonly meaning: PunchMeaning;
  /** Somebody was there (A10). */
  readonly isPunch: boolean;
  /** At a known address outside every campus, or marked 外勤 (A14), without an application for it. */
  readonly isAbnormal: boolean;
}

export type ReadMark = (mark: PunchMark) => MarkReading;

/** Reads each mark once: a month of an employee has a dozen. */
export function openMarkReader(findCampus: FindCampus): ReadMark {
  const known = new Map<PunchMark, MarkReading>();
  return (mark) => {
    const reading = known.get(mark) ?? readMark(mark, findCampus);
    known.set(mark, reading);
    return reading;
  };
}

const isPunchMeaning = (meaning: PunchMeaning): boolean =>
  meaning !== "void" && meaning !== "excused" && meaning !== "missing";

/** Whether a row with that result is a punch, if it has a time (A10). */
export const isValidPunch = (result: string): boolean => isPunchMeaning(readResult(result));

function readMark({ result, address }: PunchMark, findCampus: FindCampus): MarkReading {
  const meaning = readResult(result);
  const campus = findCampus(address);
  const isMarked = isOffSite(result);
  const isElsewhere = campus === undefined && (isMarked || address !== "");
  const isPunch = isPunchMeaning(meaning);
  const isAbnormal = meaning !== "approved" && (isMarked || isElsewhere);
  return { meaning, isPunch, campus, isElsewhere, isAbnormal };
}
