import type { DailySlot } from "#services/attendance/model.ts";

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

export interface DayCell {
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
const clockLine = /^[(（].*[)）]$/;
// A cell may hold 32,767 characters, and the pattern takes time by the square of a piece's length.
const longestPiece = 200;
const missingEvent = /^(上班|下班)?(\d*)(缺卡|未打卡)$/;

/** Errors: none. */
export function readDayCell(cell: string): DayCell {
  const found: { events: string[]; unknown: string[] } = { events: [], unknown: [] };
  for (const line of listLines(cell)) if (!clockLine.test(line)) readLine(line, found);
  const unknown = found.unknown.map((piece) => piece.slice(0, longestPiece));
  return { events: found.events, unknown, missing: found.events.flatMap(toMissingSlot) };
}

/** The missing punches of a cell, without reading what else it says. */
export function listMissing(cell: string): readonly MissingSlot[] {
  return cell.includes("缺卡") || cell.includes("未打卡") ? readDayCell(cell).missing : [];
}

/** The lines of a cell that have the day's punches, such as `(08:22,-)`. */
export const listClockLines = (cell: string): string[] => listLines(cell).filter((line) => clockLine.test(line));

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

function toMissingSlot(event: string): MissingSlot[] {
  const match = missingEvent.exec(event);
  if (!match) return [];
  const [, kind, number = "", word] = match;
  return [
    {
      word: word === "未打卡" ? "未打卡" : "缺卡",
      kind: kind === "上班" || kind === "下班" ? kind : null,
      number: number === "" ? null : Number(number),
    },
  ];
}
