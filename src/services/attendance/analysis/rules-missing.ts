import type { DailyRow, PunchRow } from "#services/attendance/model.ts";
import { type MissingSlot, listClockLines, listMissing, readDayCell } from "./rules-day-cell.ts";
import { readResult } from "./rules-results.ts";

/** Where it is said that a punch is missing; `source` is null for the day cell. */
export interface MissingPunch extends MissingSlot {
  readonly source: DailyRow | PunchRow | null;
}

export interface DaySources {
  /** The day cell of 月度汇总, "" for none. */
  readonly cell: string;
  readonly daily: readonly DailyRow[];
  /** The raw rows of the day whose result says that a punch is missing. */
  readonly unpunched: readonly PunchRow[];
}

/**
 * The missing punches of a day in the order of their slots: from the day cell if there is one, else from 每日统计,
 * else from raw rows (A12). The cell has the last word: a day of absence has clocks without punches in 每日统计, and
 * none of them is missing. Only a cell that says 未打卡 of the whole day leaves it to the other sheets which they are.
 */
export function findMissing({ cell, daily, unpunched }: DaySources): readonly MissingPunch[] {
  if (cell.trim() === "") return daily.length > 0 ? sortSlots(listDaily(daily)) : listRaw(unpunched);
  const slots = listMissing(cell);
  if (slots.length === 0) return none;
  const told = slots.map((slot) => ({ ...slot, source: null }));
  if (told.every(({ kind }) => kind !== null)) return sortSlots(told);
  const detailed = [sortSlots(listDaily(daily)), listRaw(unpunched)].find((found) => found.length > 0);
  return detailed ?? sortSlots(told);
}

const none: readonly MissingPunch[] = [];

function listDaily(rows: readonly DailyRow[]): MissingPunch[] {
  const slots = new Map<string, MissingPunch>();
  for (const row of rows) {
    for (const { kind, number, result } of row.slots) {
      const key = `${kind}${number}`;
      if (readResult(result) === "missing" && !slots.has(key))
        slots.set(key, { word: "缺卡", kind, number, source: row });
    }
  }
  return [...slots.values()];
}

// Raw rows have no slots, but they know when a punch was due.
function listRaw(rows: readonly PunchRow[]): MissingPunch[] {
  const slots = new Map<string, MissingPunch>();
  for (const row of rows.toSorted(compareDue)) {
    const [slot] = listMissing(row.mark.result);
    const key = row.scheduled === null ? String(row.row) : `${row.scheduled}${slot?.kind}`;
    if (slot && !slots.has(key)) slots.set(key, { ...slot, source: row });
  }
  return [...slots.values()];
}

const compareDue = (left: PunchRow, right: PunchRow): number =>
  (left.scheduled ?? 0) - (right.scheduled ?? 0) || left.row - right.row;

/** `05-04 上班2缺卡`, without what the export does not say. */
export function writeMissing(day: string, { kind, number, word }: MissingSlot): string {
  return kind === null ? `${day.slice(5)} ${word}` : `${day.slice(5)} ${kind}${number ?? ""}缺卡`;
}

// A slot without a number is the next of its kind.
function sortSlots(slots: readonly MissingPunch[]): readonly MissingPunch[] {
  if (slots.length < 2) return slots;
  const seen = { 上班: 0, 下班: 0 };
  return slots
    .map((slot) => {
      const number = slot.number ?? (slot.kind === null ? 0 : ++seen[slot.kind]);
      return { slot, place: number * 2 + (slot.kind === "下班" ? 1 : 0) };
    })
    .sort((left, right) => left.place - right.place)
    .map(({ slot }) => slot);
}

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
