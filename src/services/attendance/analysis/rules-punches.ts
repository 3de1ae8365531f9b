import { writeMinute } from "#services/attendance/days.ts";
import type { AnalysisSettings, KnownPlace, Minute, PunchMark } from "#services/attendance/model.ts";

export type Campus = 1 | 2;
export type Place = Campus | "off-site";
/** The rule that decided the place of the day (A11), or "correction". */
export type Ground = "punch" | "elsewhere" | "usual" | "belonging" | "nothing" | "correction";

export interface PlacedDay {
  readonly place: Place;
  readonly ground: Ground;
}

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

export function placeByPunches(punches: readonly { readonly says: MarkReading }[]): PlacedDay | undefined {
  const campus = punches.find(({ says }) => says.campus !== undefined)?.says.campus;
  if (campus !== undefined) return { place: campus, ground: "punch" };
  return punches.some(({ says }) => says.isElsewhere) ? { place: "off-site", ground: "elsewhere" } : undefined;
}

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
 * Rows that are "void" or "excused" do not count as punches (A10). An "approved" punch is covered by an application and
 * is never late, early or abnormal. An "unknown" punch counts as on time and is reported.
 */
type PunchMeaning = "void" | "excused" | "approved" | "missing" | "on-time" | "late" | "early" | "unknown";

const approved: ReadonlySet<string> = new Set(["出差", "外出", "加班"]);
const onTime: ReadonlySet<string> = new Set(["正常", "补卡审批通过", ""]);
const duration = String.raw`(?:\d+小时)?(?:\d+分钟)?`;
const late = new RegExp(`^(?:严重|旷工)?迟到${duration}$`);
const early = new RegExp(`^早退${duration}$`);
const missing = /^(?:上班|下班)?\d*(?:缺卡|未打卡)$/;
const corrected = /^管理员.*改为正常$/;
// 外勤 only says where the punch was made; the rest of the text is about its time.
const offSiteMark = /[,，、\s]*外勤(?:打卡)?[,，、\s]*/g;

// A longer text is an unknown result, except the reason for an invalid punch, which is recognised before. The limit
// keeps the matching fast, since a cell may have 32,767 characters.
const longestResult = 100;

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
  /**
   * Whether the punch is off campus: its address is a known place off campus or matches no keyword, or the punch is
   * marked 外勤 and its address has no campus's keyword.
   */
  readonly isElsewhere: boolean;
  /** Whether the address matches no keyword, not even one of a place off campus. */
  readonly isStrange: boolean;
  readonly meaning: PunchMeaning;
  readonly isPunch: boolean;
  /** Whether the punch is off campus or marked 外勤 (A14), and no application covers it. */
  readonly isAbnormal: boolean;
}

export type ReadMark = (mark: PunchMark) => MarkReading;

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

export const isValidPunch = (result: string): boolean => isPunchMeaning(readResult(result));

export type Lateness = "late" | "early";
/**
 * Bucket 0 is for punches that are late or early by at most the first edge, bucket 1 for those by at most the second
 * edge, and bucket 2 for all others.
 */
export type Bucket = 0 | 1 | 2;

export interface LateFinding {
  readonly kind: Lateness;
  readonly minutes: number;
}

/**
 * Returns how late or early the punch is. Returns null if the punch is not marked late or early, or was made in the
 * scheduled minute. Returns "doubtful" if the result contradicts the times or there is no scheduled time (A15).
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

export function writeLateness(time: Minute, { kind, minutes }: LateFinding): string {
  return `${writeMinute(time).slice(5)} ${kind === "late" ? "迟到" : "早退"}${minutes}分钟`;
}
