import type { Bilingual } from "#platform/contract/language.ts";
import type { SpreadsheetLimits } from "#platform/workbooks/index.ts";
import { type ImportSheet, importSheets } from "#services/attendance/record-contract.ts";
import { wanted } from "./copy-workbook.ts";
import { type DayRange, lookAtWorkbook, type Prospect } from "#services/attendance/workbook/index.ts";

/** An import that would find its sheet in the file. */
export interface Promised {
  readonly sheet: ImportSheet;
  /** yyyy-MM: those that the title's days lie in. Of several the import must be told one; none is said by no title. */
  readonly months: readonly string[];
  /** The days of the title; null without one. */
  readonly days: DayRange | null;
}

export interface Recognised {
  readonly imports: readonly Promised[];
  /** What stands in the way of the other imports; what the first would say where there is none. */
  readonly told: readonly Bilingual[];
}

/**
 * Which imports would take the file, in their own judgement, told by the beginnings of its sheets.
 * Errors: `SpreadsheetError` of a file that none would open.
 */
export async function recogniseWorkbook(path: string, limits: Partial<SpreadsheetLimits>): Promise<Recognised> {
  const prospects = await lookAtWorkbook(
    path,
    importSheets.map((sheet) => wanted[sheet]),
    limits,
  );
  const imports = importSheets.flatMap((sheet, place) => promise(sheet, prospects[place]));
  const refusals = prospects.flatMap((prospect) => (prospect.is === "found" ? [] : [prospect]));
  const faults = refusals.filter(({ is }) => is === "faulty");
  const [first] = refusals;
  const told = faults.length === 0 && imports.length === 0 && first ? [first] : faults;
  return { imports, told: told.map(({ says }) => says) };
}

function promise(sheet: ImportSheet, prospect: Prospect | undefined): Promised[] {
  if (prospect?.is !== "found") return [];
  const { range, month } = prospect;
  return [{ sheet, days: range, months: month === null ? listMonths(range) : [month] }];
}

function listMonths(range: DayRange | null): string[] {
  if (range === null) return [];
  const months: string[] = [];
  const last = toMonthNumber(range.end);
  for (let month = toMonthNumber(range.start); month <= last; month++)
    months.push(`${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`);
  return months;
}

/** Months since the year 0. */
const toMonthNumber = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
