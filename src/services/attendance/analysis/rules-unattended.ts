import { listClockLines, readDayCell } from "./rules-day-cell.ts";
import type { DaySources, MissingPunch } from "./rules-missing.ts";
import { readResult } from "./rules-results.ts";

/**
 * Whether nobody was there on a day without a valid raw punch (A12): every slot is missing, or 每日统计 has it as a whole
 * 旷工天数, and the other sheets know of no punch either. Otherwise it is a day with missing punches.
 * @param missing what is missing of the day, of which there is something
 */
export function isUnattended(sources: DaySources, missing: readonly MissingPunch[]): boolean {
  if (hasPunch(sources)) return false;
  return sources.daily.some(({ isAbsent }) => isAbsent) || isEverySlotMissing(sources, missing);
}

const hasPunch = ({ cell, daily }: DaySources): boolean =>
  listClockLines(cell).some((line) => /\d:\d\d/.test(line)) ||
  daily.some(({ slots }) => slots.some(({ time, result }) => time !== null && readResult(result) !== "void"));

/** By the sheet that told what is missing. */
function isEverySlotMissing({ cell, daily, unpunched }: DaySources, missing: readonly MissingPunch[]): boolean {
  const [first] = missing;
  if (!first) return false;
  if (first.source === null) return isCellOfNothingElse(cell) && areAllSlots(missing);
  const results =
    "slots" in first.source
      ? daily.flatMap(({ slots }) => slots.map(({ result }) => result))
      : unpunched.map(({ mark }) => mark.result);
  return results.every((result) => readResult(result) === "missing");
}

// What neither is a slot nor excuses one.
const aside = /^(?:加班|补卡申请|休息|节假日|未排班|不在考勤组|未加入考勤组)|^旷工$|(?:缺卡|未打卡)$/;

const isCellOfNothingElse = (cell: string): boolean => readDayCell(cell).events.every((event) => aside.test(event));

// 缺卡 or 未打卡 alone is said of the whole day; a slot that is not named was punched.
function areAllSlots(missing: readonly MissingPunch[]): boolean {
  if (missing.some(({ kind }) => kind === null)) return true;
  const last = Math.max(...missing.map(({ number }) => number ?? 1));
  const named = new Set(missing.map(({ kind, number }) => `${kind}${number ?? 1}`));
  return named.size === last * 2;
}
