import { writeMinute } from "#services/attendance/days.ts";
import type { AnalysisSettings, KnownPlace, Minute, PunchMark } from "#services/attendance/model.ts";

export type Campus = 1 | 2;
/** Where a day counts. */
export type Place = Campus | "off-site";
/** Why a day counts there: the first rule of A11 that decides, or a correction that says it. */
export type Ground = "punch" | "elsewhere" | "usual" | "belonging" | "nothing" | "correction";

export interface PlacedDay {
  readonly place: Place;
  readonly ground: Ground;
}

/** Finds the place whose keyword stands in a text, in the order of the settings; case does not matter. */
export type FindCampus = (text: string) => KnownPlace | undefined;

export function openCampusFinder({ campuses }: AnalysisSettings): FindCampus {
  const keywords = campuses.flatMap(({ campus, keywords }) =>
    keywords.filter((keyword) => keyword !== "").map((keyword) => ({ campus, text: keyword.toLowerCase() })),
  );
  return (text) => {
    const lower = text.toLowerCase();
    return keywords.find((keyword) => lower.includes(keyword.text))?.campus;
  };
}

/** Where a day's own punches, first to last, put it; undefined if none of them has an address. */
export function placeByPunches(punches: readonly { readonly says: MarkReading }[]): PlacedDay | undefined {
  const campus = punches.find(({ says }) => says.campus !== undefined)?.says.campus;
  if (campus !== undefined) return { place: campus, ground: "punch" };
  return punches.some(({ says }) => says.isElsewhere) ? { place: "off-site", ground: "elsewhere" } : undefined;
}

/** Where a day without any address counts: at the usual campus, else by the department and the attendance group. */
export function placeWithoutAddress(
  placed: Iterable<PlacedDay>,
  belongings: readonly string[],
  findCampus: FindCampus,
): PlacedDay {
  const days = { 1: 0, 2: 0, "off-site": 0 };
  for (const { place } of placed) days[place]++;
  if (days[1] + days[2] > 0) return { place: days[1] >= days[2] ? 1 : 2, ground: "usual" };
  const campus = belongings.map(findCampus).find((found) => found === 1 || found === 2);
  return campus === undefined ? { place: "off-site", ground: "nothing" } : { place: campus, ground: "belonging" };
}

/**
 * What a 打卡结果 says of its row. A row that is "void" or "excused" is no punch (A10); "approved" is a punch under an
 * application, which is neither late, early nor out of place; "missing" says that there was none; "unknown" counts as a
 * punch on time, and is reported.
 */
type PunchMeaning = "void" | "excused" | "approved" | "missing" | "on-time" | "late" | "early" | "unknown";

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
export interface MarkReading {
  readonly campus: Campus | undefined;
  /** At a known address outside every campus, or 外勤 without a keyword. */
  readonly isElsewhere: boolean;
  /** At an address in which no keyword stands, not even one of what is off-site. */
  readonly isStrange: boolean;
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
    const before = known.get(mark);
    if (before) return before;
    const meaning = readResult(mark.result);
    const place = findCampus(mark.address);
    const campus = place === 0 ? undefined : place;
    const isMarked = isOffSite(mark.result);
    const isElsewhere = campus === undefined && (isMarked || mark.address !== "");
    const isAbnormal = meaning !== "approved" && (isMarked || isElsewhere);
    const isStrange = place === undefined && mark.address !== "";
    const reading = { meaning, isPunch: isPunchMeaning(meaning), campus, isElsewhere, isStrange, isAbnormal };
    known.set(mark, reading);
    return reading;
  };
}

const isPunchMeaning = (meaning: PunchMeaning): boolean =>
  meaning !== "void" && meaning !== "excused" && meaning !== "missing";

/** Whether a row with that result is a punch, if it has a time (A10). */
export const isValidPunch = (result: string): boolean => isPunchMeaning(readResult(result));

export type Lateness = "late" | "early";
/** 0 up to the first edge, 1 up to the second, 2 above; edges belong to the lower bucket. */
export type Bucket = 0 | 1 | 2;

export interface LateFinding {
  readonly kind: Lateness;
  readonly minutes: number;
}

/**
 * How late or early a punch is that its result calls so (A15); null where it is not, or only within the scheduled
 * minute. "doubtful" where the times do not bear the result out, or there is no schedule.
 */
export function findLateness(
  meaning: PunchMeaning,
  scheduled: Minute | null,
  time: Minute,
): LateFinding | "doubtful" | null {
  if (meaning !== "late" && meaning !== "early") return null;
  if (scheduled === null) return "doubtful";
  const minutes = meaning === "late" ? time - scheduled : scheduled - time;
  if (minutes === 0) return null;
  return minutes > 0 ? { kind: meaning, minutes } : "doubtful";
}

/** `05-04 08:42 迟到12分钟`. The date is that of the punch, which overnight is not the day it counts for. */
export function writeLateness(time: Minute, { kind, minutes }: LateFinding): string {
  return `${writeMinute(time).slice(5)} ${kind === "late" ? "迟到" : "早退"}${minutes}分钟`;
}
