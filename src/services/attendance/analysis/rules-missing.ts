import type { DailyRow, DailySlot, PunchRow } from "#services/attendance/model.ts";
import { isValidPunch, readResult } from "./rules-punches.ts";

// A day cell of 月度汇总 has one event per line (exports of 2020) or the form `班次名:结果,事件⏎(首卡,末卡)` (exports of 2026). A
// shift's name is free text and may contain digits, commas, colons or even 上班. Therefore an event is recognised only at
// the end of a piece between commas, either alone or after a colon; the text before that colon is the shift's name.

/** `kind` is null if the text is only 缺卡 or 未打卡. */
export interface MissingSlot {
  readonly word: "缺卡" | "未打卡";
  readonly kind: DailySlot["kind"] | null;
  readonly number: number | null;
}

interface DayCell {
  readonly events: readonly string[];
  readonly missing: readonly MissingSlot[];
  readonly unknown: readonly string[];
}

const duration = String.raw`(?:\d+小时)?(?:\d+分钟)?`;
const clockEvent = String.raw`(?:上班|下班)?\d*(?:缺卡|未打卡|(?:严重|旷工)?迟到${duration}|早退${duration}|旷工|外勤|正常|请假)`;
const dayEvent = String.raw`(?:休息|节假日|不在考勤组|未加入考勤组|未排班)(?:并打卡)?|补卡审批通过|管理员[^:：]*改为正常`;
// The text of an application states its dates. A text without dates, such as `年假0.5天`, starts with the kind of
// application.
const application = String.raw`[^:：\d]*\d{1,2}-\d{1,2}.*到.*|(?:[\p{Script=Han}]*假|调休|出差|外出|加班|补卡申请)[^:：]*`;
const eventAtEnd = new RegExp(`(?:^|[:：])(${clockEvent}|${dayEvent}|${application})$`, "u");
const clockLine = /^[(（].*[)）]$/;
// Matching takes time quadratic in the length of a piece, and a cell may have 32,767 characters.
const longestPiece = 200;
const missingEvent = /^(上班|下班)?(\d*)(缺卡|未打卡)$/;

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

function listMissing(cell: string): readonly MissingSlot[] {
  return cell.includes("缺卡") || cell.includes("未打卡") ? readDayCell(cell).missing : [];
}

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
    // If a shift's name contains commas, its first pieces have no colon. They belong to the name and are not unknown
    // events.
    const endsShift = event.length < piece.length;
    unknown.push(...before.filter((text) => !endsShift || /[:：]/.test(text)));
    before = [];
    events.push(event);
  }
  unknown.push(...before);
}

export interface MissingPunch extends MissingSlot {
  readonly source: DailyRow | PunchRow | null;
}

interface DaySources {
  readonly cell: string;
  readonly daily: readonly DailyRow[];
  readonly unpunched: readonly PunchRow[];
}

/**
 * Lists the missing punches in the order of slots (A12). If 每日统计 has the day, its missing punches count, since 每日统计 is
 * newer than the day cell. If not, those of the day cell count or, if the cell is empty, those of the raw rows. If the
 * cell only says 缺卡 or 未打卡, the raw rows show which punches are missing.
 */
export function findMissing({ cell, daily, unpunched }: DaySources): readonly MissingPunch[] {
  // Punches that are missing on a day of absence (旷工) do not count.
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
      // 未打卡 marks a slot that needs no punch, so it is not missing.
      if (result.includes("缺卡") && readResult(result) === "missing" && !slots.has(key))
        slots.set(key, { word: "缺卡", kind, number, source: row });
    }
  }
  return [...slots.values()];
}

// Raw rows have no slot numbers, so their scheduled times distinguish the slots.
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

export function writeMissing(day: string, { kind, number, word }: MissingSlot): string {
  return kind === null ? `${day.slice(5)} ${word}` : `${day.slice(5)} ${kind}${number ?? ""}缺卡`;
}

// A slot without a number is taken for the next slot of its kind.
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
 * Whether the day counts as attended (A10). If 每日统计 has the day, its clock times decide; if not, the raw punches. On a
 * whole day of 旷工, a punch in any sheet makes the day attended.
 */
export function isAttended(sources: DaySources, punches: number): boolean {
  const { daily } = sources;
  if (daily.length === 0) return punches > 0;
  return hasDailyClock(daily) || (daily.some(({ isAbsent }) => isAbsent) && (punches > 0 || hasCellClock(sources)));
}

/**
 * Whether 每日统计 or the day cell has a clock time. A day with a missing punch counts as attended only if it has a clock
 * time or a raw punch.
 */
export const hasClock = (sources: DaySources): boolean => hasDailyClock(sources.daily) || hasCellClock(sources);

const hasCellClock = ({ cell }: DaySources): boolean =>
  listLines(cell).some((line) => clockLine.test(line) && /\d:\d\d/.test(line));

const hasDailyClock = (daily: readonly DailyRow[]): boolean => daily.some(({ hasClock }) => hasClock);

export const isClocked = (slots: readonly DailySlot[]): boolean =>
  slots.some(({ time, result }) => time !== null && isValidPunch(result));
