import { writeMinute } from "#services/attendance/days.ts";
import type { AnalysisSettings, KnownPlace, Minute, PunchMark } from "#services/attendance/model.ts";

export type Campus = 1 | 2;
export type Place = Campus | "off-site";
/** The first rule of A11 that applies, or a correction. */
export type Ground = "punch" | "elsewhere" | "usual" | "belonging" | "nothing" | "correction";

export interface PlacedDay {
  readonly place: Place;
  readonly ground: Ground;
}

/** Finds the place whose keyword the text contains, ignoring case; the order of the settings decides. */
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

/** Places a day by its own punches, in time order; undefined if none has an address. */
export function placeByPunches(punches: readonly { readonly says: MarkReading }[]): PlacedDay | undefined {
  const campus = punches.find(({ says }) => says.campus !== undefined)?.says.campus;
  if (campus !== undefined) return { place: campus, ground: "punch" };
  return punches.some(({ says }) => says.isElsewhere) ? { place: "off-site", ground: "elsewhere" } : undefined;
}

/** Places a day without addresses: at the usual campus, else by department and attendance group. */
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
 * The meaning of a 打卡结果. "void" and "excused" rows are no punches (A10); "approved" is a punch under an application,
 * never late, early or abnormal; "missing": no punch; "unknown" counts as on time and is reported.
 */
type PunchMeaning = "void" | "excused" | "approved" | "missing" | "on-time" | "late" | "early" | "unknown";

const approved: ReadonlySet<string> = new Set(["出差", "外出", "加班"]);
const onTime: ReadonlySet<string> = new Set(["正常", "补卡审批通过", ""]);
const duration = String.raw`(?:\d+小时)?(?:\d+分钟)?`;
const late = new RegExp(`^(?:严重|旷工)?迟到${duration}$`);
const early = new RegExp(`^早退${duration}$`);
const missing = /^(?:上班|下班)?\d*(?:缺卡|未打卡)$/;
const corrected = /^管理员.*改为正常$/;
// 外勤 states the place; the timing is in the rest of the text.
const offSiteMark = /[,，、\s]*外勤(?:打卡)?[,，、\s]*/g;

// Only the reason for an invalid punch is longer, and a cell may hold 32,767 characters.
const longestResult = 100;

/** Parses a result of 原始记录 or a clock of 每日统计. Errors: none. */
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

export const isOffSite = (text: string): boolean => text.includes("外勤");

export interface MarkReading {
  readonly campus: Campus | undefined;
  /** At a known address outside every campus, or 外勤 without a keyword. */
  readonly isElsewhere: boolean;
  /** The address matches no keyword, not even an off-site one. */
  readonly isStrange: boolean;
  readonly meaning: PunchMeaning;
  /** Whether it is a valid punch (A10). */
  readonly isPunch: boolean;
  /** At a known address outside every campus or marked 外勤 (A14), and not covered by an application. */
  readonly isAbnormal: boolean;
}

export type ReadMark = (mark: PunchMark) => MarkReading;

/** Caches readings: an employee's month has a dozen marks. */
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

/** Whether a row with the result is a punch, provided that it has a time (A10). */
export const isValidPunch = (result: string): boolean => isPunchMeaning(readResult(result));

export type Lateness = "late" | "early";
/** 0 up to the first edge, 1 up to the second, 2 above; an edge belongs to the lower bucket. */
export type Bucket = 0 | 1 | 2;

export interface LateFinding {
  readonly kind: Lateness;
  readonly minutes: number;
}

/**
 * Minutes late or early of a punch whose result says so (A15); null if it does not, or within the scheduled minute.
 * "doubtful": the times contradict the result, or there is no schedule.
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

/** Formats `05-04 08:42 迟到12分钟` with the date of the punch, which differs from its day on night shifts. */
export function writeLateness(time: Minute, { kind, minutes }: LateFinding): string {
  return `${writeMinute(time).slice(5)} ${kind === "late" ? "迟到" : "早退"}${minutes}分钟`;
}
