import type { DailyRow, PunchRow } from "#services/attendance/model.ts";
import { listMissing, type MissingSlot } from "./rules-day-cell.ts";
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
