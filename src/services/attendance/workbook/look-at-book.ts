import type { Bilingual } from "#platform/contract/language.ts";
import { SpreadsheetError } from "#platform/workbooks/index.ts";
import { describeFileFault } from "#platform/workbooks/spreadsheet-error.ts";
import { type DayRun, daysOf, intersect, monthOf } from "#services/attendance/days.ts";
import { describeElsewhere, describeEmpty } from "./advice.ts";
import { chooseSheets, type FoundSheet, type LookedAt, lookAtSheets } from "./find-sheets.ts";
import { SHEET_NAMES } from "./headings.ts";
import type { DayRange, ReadOrder, SheetKind, StoredSheet } from "./parts.ts";
import { findColumnDays, hasDayColumns } from "./layout.ts";
import { listStored, openBook } from "./read-book.ts";
import { ROW_READERS } from "./row-readers.ts";
import { listMonths, toRun } from "./times.ts";

export type SheetWish = readonly [SheetKind, ...SheetKind[]];

export interface LookOrder extends Pick<ReadOrder, "path" | "limits" | "month" | "periodStart"> {
  readonly wishes: readonly SheetWish[];
  readonly whole: boolean;
  readonly allowEmpty: boolean;
}

export interface TakenDays extends DayRun {
  readonly sheet: Exclude<StoredSheet, "identity">;
  readonly month: string;
  /** Whether the sheet is derived from another one. If so, it provides only the days that no other import provides. */
  readonly isStandIn: boolean;
}

export type Prospect =
  | {
      readonly is: "found";
      readonly range: DayRange | null;
      /** The target months as yyyy-MM. If there are several and no title, the import needs to be given one of them. */
      readonly months: readonly string[];
      /** Empty if the import needs to be given a month. */
      readonly takes: readonly TakenDays[];
    }
  | { readonly is: "missing" | "faulty"; readonly says: Bilingual };

/**
 * Yields what an import would find for each of `wishes`.
 * @throws {SpreadsheetError} if the whole file cannot be read
 */
export async function* lookAtBook({ wishes, ...order }: LookOrder): AsyncGenerator<readonly Prospect[]> {
  const book = await openBook(order);
  try {
    const looked = await lookAtSheets(book.sheets);
    const prospects: Prospect[] = [];
    for (const wish of wishes) prospects.push(await foresee(looked, wish, order));
    yield prospects;
  } finally {
    book.close();
  }
}

type Choices = Pick<LookOrder, "month" | "periodStart" | "whole" | "allowEmpty">;

async function foresee(looked: LookedAt, wish: SheetWish, choices: Choices): Promise<Prospect> {
  const { periodStart, month } = choices;
  try {
    const { found, months } = chooseSheets(looked, { sheets: wish, needed: [wish[0]], periodStart, month });
    const sheets: SeenRows[] = [];
    for (const sheet of found) sheets.push(await seeRows(sheet, periodStart));
    const [first] = sheets;
    if (!first) throw new TypeError("a required sheet was not found");
    const own = months.length > 0 ? months : [...first.days.keys()].toSorted();
    const meant = choices.month === null || months.length === 1 ? own : [choices.month];
    const taken = months.length === 0 && meant.length > 1 ? [] : meant;
    const says = findElsewhere(sheets, choices) ?? (choices.allowEmpty ? undefined : findEmpty(first, taken));
    if (says) return { is: "faulty", says };
    const takes = taken.flatMap((month) => sheets.flatMap((sheet) => listTaken(sheet, month, choices)));
    return { is: "found", range: first.range, months: meant, takes };
  } catch (error) {
    if (!(error instanceof SpreadsheetError)) throw error;
    return { is: error.reason === "no-sheet" ? "missing" : "faulty", says: describeFileFault(error) };
  }
}

type SeenRows = Awaited<ReturnType<typeof seeRows>>;

// No dated row is in this month, so the reader does not convert any dated rows.
const NO_MONTH = "1000-01";

/**
 * Reading stops as soon as each month of the title has a row. A sheet with day columns is read only up to its first row
 * with data.
 */
async function seeRows(sheet: FoundSheet, periodStart: number) {
  const { file, kind, layout } = sheet;
  const { range } = layout;
  const days = new Map<string, { start: string; end: string }>();
  const awaited = new Set(range && listMonths(range, periodStart));
  let [hasRows, isEnough] = [false, false];
  const note = (day: string): void => {
    const month = monthOf(day, periodStart);
    const known = days.get(month);
    days.set(month, {
      start: known && known.start < day ? known.start : day,
      end: known && known.end > day ? known.end : day,
    });
    isEnough ||= awaited.delete(month) && awaited.size === 0;
  };
  const source = file.open();
  const reader = ROW_READERS[kind](
    layout,
    { month: NO_MONTH, periodStart, other: null, note },
    source.decode,
    sheet.standsIn,
  );
  source.choose(reader.columns);
  const run = source.run((row) => {
    if (row.row <= layout.lastHeadingRow || isEnough) return;
    const what = reader.read(row).kind;
    hasRows ||= what === "row" || what === "line" || what === "outside";
    isEnough ||= hasRows && hasDayColumns(kind);
  });
  for await (const _ of run) if (isEnough) break;
  return { sheet, range, hasRows, days };
}

function findElsewhere(sheets: readonly SeenRows[], { month, periodStart }: Choices): Bilingual | undefined {
  const elsewhere = sheets.find(
    ({ range }) => range && month !== null && !listMonths(range, periodStart).includes(month),
  );
  return elsewhere?.range && month !== null ? describeElsewhere(elsewhere.range, month) : undefined;
}

function findEmpty({ sheet: { kind }, hasRows, days }: SeenRows, months: readonly string[]): Bilingual | undefined {
  if (!hasRows) return describeEmpty(SHEET_NAMES[kind]);
  const isDated = kind === "daily" || kind === "original";
  const without = isDated ? months.find((month) => !days.has(month)) : undefined;
  return without === undefined ? undefined : describeEmpty(SHEET_NAMES[kind], without);
}

function listTaken(seen: SeenRows, month: string, choices: Choices): TakenDays[] {
  const { sheet, range, hasRows, days } = seen;
  const { kind, layout } = sheet;
  const { periodStart, whole, allowEmpty } = choices;
  const period = { month, periodStart };
  const isPeople = hasDayColumns(kind);
  if (kind === "identity" || (!allowEmpty && !(isPeople ? hasRows : days.has(month)))) return [];
  const own = isPeople ? findColumnDays(layout, period) : days.get(month);
  const untitled = whole ? daysOf(period) : own && toRun(own);
  const taken = range ? intersect(toRun(range), daysOf(period)) : untitled;
  if (!taken) return [];
  return listStored(sheet).flatMap(({ sheet: stored, from }) =>
    stored === "identity" ? [] : { sheet: stored, month, ...taken, isStandIn: from !== null },
  );
}
