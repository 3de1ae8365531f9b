import { dayFields } from "#services/attendance/contract.ts";
import { listLines } from "./rules-day-cell.ts";

const weekdays = ["日", "一", "二", "三", "四", "五", "六"];

/** The day columns by their wire names: each day's text, lines joined by `；`, and "" past the end of the month. */
export function toDayColumns(days: readonly string[]): Record<string, string> {
  return Object.fromEntries(dayFields.map((field, index) => [field, joinLines(days[index] ?? "")]));
}

/** A day cell on one line. */
export const joinLines = (cell: string): string => (cell.includes("\n") ? listLines(cell).join("；") : cell.trim());

/** The number of days of a month given as yyyy-MM. */
export function countDays(month: string): number {
  return new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate();
}

/** The headings of a month's day columns, 一 to 日 (A8). */
export function titleRow(month: string) {
  const days = Array.from({ length: countDays(month) }, (_, index) => {
    const day = new Date(`${month}-${String(index + 1).padStart(2, "0")}T00:00:00Z`);
    return weekdays[day.getUTCDay()] ?? "";
  });
  return { id: Number(month.replace("-", "")), userId: "UserId", workName: "姓名", ...toDayColumns(days) };
}
