import type { DailyRow, DailySlot, PunchRow } from "#services/attendance/model.ts";
import { isValidPunch, readResult } from "./rules-punches.ts";

// A day cell of 月度汇总 has an event per line (2020), or `班次名:结果,事件⏎(首卡,末卡)` (2026). Shift names are free text with
// digits, commas, colons or even 上班. An event is therefore recognised at the end of its piece, after nothing or a
// colon; the rest is the shift name.

/** A missing punch; `kind` is null if the day only says 缺卡 or 未打卡. */
export interface MissingSlot {
  readonly word: "缺卡" | "未打卡";
  readonly kind: DailySlot["kind"] | null;
  /** Null if the export does not number slots. */
  readonly number: number | null;
}

interface DayCell {
  /** In cell order, without shift names: `上班2迟到3分钟`, `旷工`, `事假05-13 …`. */
  readonly events: readonly string[];
  readonly missing: readonly MissingSlot[];
  readonly unknown: readonly string[];
}

const duration = String.raw`(?:\d+小时)?(?:\d+分钟)?`;
const clockEvent = String.raw`(?:上班|下班)?\d*(?:缺卡|未打卡|(?:严重|旷工)?迟到${duration}|早退${duration}|旷工|外勤|正常|请假)`;
const dayEvent = String.raw`(?:休息|节假日|不在考勤组|未加入考勤组|未排班)(?:并打卡)?|补卡审批通过|管理员[^:：]*改为正常`;
// An application states its days; one without days, such as `年假0.5天`, starts with its own name.
const application = String.raw`[^:：\d]*\d{1,2}-\d{1,2}.*到.*|(?:[\p{Script=Han}]*假|调休|出差|外出|加班|补卡申请)[^:：]*`;
const eventAtEnd = new RegExp(`(?:^|[:：])(${clockEvent}|${dayEvent}|${application})$`, "u");
// A line with the day's punches, such as `(08:22,-)`.
const clockLine = /^[(（].*[)）]$/;
// A cell may hold 32,767 characters, and the pattern is quadratic in the length of a piece.
const longestPiece = 200;
const missingEvent = /^(上班|下班)?(\d*)(缺卡|未打卡)$/;

/** Errors: none. */
export function readDayCell(cell: string): DayCell {
  const found: { events: string[]; unknown: string[] } = { events: [], unknown: [] };
  for (const line of listLines(cell)) if (!clockLine.test(line)) readLine(line, found);
  const unknown = found.unknown.map((piece) => piece.slice(0, longestPiece));
  const missing = found.events.flatMap((event): MissingSlot[] => {
    const [, kind, number, word] = missingEvent.exec(event) ?? [];
    return word === undefined
      ? []
      : [
          {
            word: word === "未打卡" ? word : "缺卡",
            kind: kind === "上班" || kind === "下班" ? kind : null,
            number: number ? Number(number) : null,
          },
        ];
  });
  return { events: found.events, unknown, missing };
}

/** A cell's missing punches, without parsing cells that have none. */
function listMissing(cell: string): readonly MissingSlot[] {
  return cell.includes("缺卡") || cell.includes("未打卡") ? readDayCell(cell).missing : [];
}

/** Non-empty lines of a cell; a slot excused by leave yields an empty one. */
export function listLines(cell: string): string[] {
  return cell
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function readLine(line: string, { events, unknown }: { events: string[]; unknown: string[] }): void {
  let before: string[] = [];
  for (const piece of line.split(/[,，]/).map((piece) => piece.trim())) {
    const event = piece.length > longestPiece ? undefined : eventAtEnd.exec(piece)?.[1];
    if (event === undefined) {
      if (piece !== "") before.push(piece);
      continue;
    }
    // Pieces without a colon are parts of a shift name that contains commas.
    const endsShift = event.length < piece.length;
    unknown.push(...before.filter((text) => !endsShift || /[:：]/.test(text)));
    before = [];
    events.push(event);
  }
  unknown.push(...before);
}

/** A missing punch with its source row; null for the day cell. */
export interface MissingPunch extends MissingSlot {
  readonly source: DailyRow | PunchRow | null;
}

interface DaySources {
  /** The day cell of 月度汇总, "" if absent. */
  readonly cell: string;
  readonly daily: readonly DailyRow[];
  readonly unpunched: readonly PunchRow[];
}

/**
 * The missing punches of a day in slot order (A12): from 每日统计 if it has the day, since it is newer than the day cell;
 * else from the cell, else from raw rows. If a cell says 缺卡 or 未打卡 for the whole day, the raw rows decide which.
 */
export function findMissing({ cell, daily, unpunched }: DaySources): readonly MissingPunch[] {
  // On a day of absence no punch counts as missing.
  if (daily.length > 0) return daily.some(({ isAbsent }) => isAbsent) ? [] : sortSlots(listDaily(daily));
  const told = listMissing(cell).map((slot) => ({ ...slot, source: null }));
  const isDetailed = told.length > 0 && told.every(({ kind }) => kind !== null);
  const raw = isDetailed || (told.length === 0 && cell.trim() !== "") ? [] : listRaw(unpunched);
  return raw.length > 0 ? raw : sortSlots(told);
}

function listDaily(rows: readonly DailyRow[]): MissingPunch[] {
  const slots = new Map<string, MissingPunch>();
  for (const row of rows) {
    if (!row.isShort) continue;
    for (const { kind, number, result } of row.slots) {
      const key = `${kind}${number}`;
      // 未打卡 marks a slot without a duty to punch.
      if (result.includes("缺卡") && readResult(result) === "missing" && !slots.has(key))
        slots.set(key, { word: "缺卡", kind, number, source: row });
    }
  }
  return [...slots.values()];
}

// Raw rows have no slots; the scheduled time distinguishes them.
function listRaw(rows: readonly PunchRow[]): MissingPunch[] {
  const slots = new Map<string, MissingPunch>();
  for (const row of rows.toSorted(
    (left, right) => (left.scheduled ?? 0) - (right.scheduled ?? 0) || left.row - right.row,
  )) {
    const [slot] = listMissing(row.mark.result);
    const key = row.scheduled === null ? String(row.row) : `${row.scheduled}${slot?.kind}`;
    if (slot && !slots.has(key)) slots.set(key, { ...slot, source: row });
  }
  return [...slots.values()];
}

/** Formats `05-04 上班2缺卡`, leaving out what is unknown. */
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
 * Whether the day counts as attended (A10): by the clocks of 每日统计 if it has the day, else by raw punches. A punch in
 * any sheet overrides a whole 旷工天数.
 */
export function isAttended(sources: DaySources, punches: number): boolean {
  const { daily } = sources;
  if (daily.length === 0) return punches > 0;
  return hasDailyClock(daily) || (daily.some(({ isAbsent }) => isAbsent) && (punches > 0 || hasCellClock(sources)));
}

/** Whether a sheet other than the raw rows has a clock time; without one, a missing punch makes no day. */
export const hasClock = (sources: DaySources): boolean => hasDailyClock(sources.daily) || hasCellClock(sources);

const hasCellClock = ({ cell }: DaySources): boolean =>
  listLines(cell).some((line) => clockLine.test(line) && /\d:\d\d/.test(line));

const hasDailyClock = (daily: readonly DailyRow[]): boolean => daily.some(({ hasClock }) => hasClock);

/** Whether any slot has a valid clock time. */
export const isClocked = (slots: readonly DailySlot[]): boolean =>
  slots.some(({ time, result }) => time !== null && isValidPunch(result));
