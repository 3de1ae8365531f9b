import type { DailyRow, DailySlot, PunchRow } from "#services/attendance/model.ts";
import { isValidPunch, readResult } from "./rules-punches.ts";

// A day cell of 月度汇总 has one event a line (2020), or `班次名:结果,事件⏎(首卡,末卡)` (2026). Shift names are free
// text: they may hold digits, commas, colons and the word 上班. So an event is recognised at the end of its piece,
// where nothing or a colon stands before it, and the shift name is whatever is left.

/** A punch that is not there. `kind` is null where only 缺卡 or 未打卡 is said of the day. */
export interface MissingSlot {
  readonly word: "缺卡" | "未打卡";
  readonly kind: DailySlot["kind"] | null;
  /** Null where the export numbers no slots. */
  readonly number: number | null;
}

interface DayCell {
  /** In the order in which the cell has them, without shift names: `上班2迟到3分钟`, `旷工`, `事假05-13 …`. */
  readonly events: readonly string[];
  readonly missing: readonly MissingSlot[];
  /** Pieces that are no event that anybody knows. */
  readonly unknown: readonly string[];
}

const duration = String.raw`(?:\d+小时)?(?:\d+分钟)?`;
const clockEvent = String.raw`(?:上班|下班)?\d*(?:缺卡|未打卡|(?:严重|旷工)?迟到${duration}|早退${duration}|旷工|外勤|正常|请假)`;
const dayEvent = String.raw`(?:休息|节假日|不在考勤组|未加入考勤组|未排班)(?:并打卡)?|补卡审批通过|管理员[^:：]*改为正常`;
// An application names its days; those without any, as in `年假0.5天`, begin with their own name.
const application = String.raw`[^:：\d]*\d{1,2}-\d{1,2}.*到.*|(?:[\p{Script=Han}]*假|调休|出差|外出|加班|补卡申请)[^:：]*`;
const eventAtEnd = new RegExp(`(?:^|[:：])(${clockEvent}|${dayEvent}|${application})$`, "u");
// A line that has the day's punches, such as `(08:22,-)`.
const clockLine = /^[(（].*[)）]$/;
// A cell may hold 32,767 characters, and the pattern takes time by the square of a piece's length.
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

/** The missing punches of a cell, without reading what else it says. */
function listMissing(cell: string): readonly MissingSlot[] {
  return cell.includes("缺卡") || cell.includes("未打卡") ? readDayCell(cell).missing : [];
}

/** The lines of a cell that say something: a slot that a leave excuses leaves an empty one. */
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
    // Without a colon of their own, the pieces in front are the beginning of a shift name with a comma in it.
    const endsShift = event.length < piece.length;
    unknown.push(...before.filter((text) => !endsShift || /[:：]/.test(text)));
    before = [];
    events.push(event);
  }
  unknown.push(...before);
}

/** Where it is said that a punch is missing; `source` is null for the day cell. */
export interface MissingPunch extends MissingSlot {
  readonly source: DailyRow | PunchRow | null;
}

interface DaySources {
  /** The day cell of 月度汇总, "" for none. */
  readonly cell: string;
  readonly daily: readonly DailyRow[];
  /** The raw rows of the day whose result says that a punch is missing. */
  readonly unpunched: readonly PunchRow[];
}

/**
 * The missing punches of a day in the order of their slots (A12): from 每日统计 where it has the day, which is younger than the
 * day cell; else from the cell, else from raw rows. A cell that says 缺卡 or 未打卡 of the whole day leaves it to raw rows which.
 */
export function findMissing({ cell, daily, unpunched }: DaySources): readonly MissingPunch[] {
  // A day of absence has clocks without punches, and none of them is missing.
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
      // 未打卡 is what the sheet says of a clock that nobody had to use.
      if (result.includes("缺卡") && readResult(result) === "missing" && !slots.has(key))
        slots.set(key, { word: "缺卡", kind, number, source: row });
    }
  }
  return [...slots.values()];
}

// Raw rows have no slots, but they know when a punch was due.
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
 * Whether somebody was there (A10): by the clocks of 每日统计 where it has the day, else by raw punches. A punch in any sheet goes
 * before a whole 旷工天数.
 */
export function isAttended(sources: DaySources, punches: number): boolean {
  const { daily } = sources;
  if (daily.length === 0) return punches > 0;
  return hasDailyClock(daily) || (daily.some(({ isAbsent }) => isAbsent) && (punches > 0 || hasCellClock(sources)));
}

/** Whether a sheet other than the raw rows has a clock time: without any, a missing punch makes no day. */
export const hasClock = (sources: DaySources): boolean => hasDailyClock(sources.daily) || hasCellClock(sources);

const hasCellClock = ({ cell }: DaySources): boolean =>
  listLines(cell).some((line) => clockLine.test(line) && /\d:\d\d/.test(line));

const hasDailyClock = (daily: readonly DailyRow[]): boolean => daily.some(({ hasClock }) => hasClock);

/** Whether a clock of the slots counts. */
export const isClocked = (slots: readonly DailySlot[]): boolean =>
  slots.some(({ time, result }) => time !== null && isValidPunch(result));
