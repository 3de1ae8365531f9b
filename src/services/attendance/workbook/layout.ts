import { SpreadsheetError } from "#platform/workbooks/index.ts";
import type { Period } from "#services/attendance/days.ts";
import { type CopiedField, type DailySlot, isCopied, type Unit } from "#services/attendance/model.ts";
import { adviseExport } from "./advice.ts";
import {
  type ColumnKey,
  findColumnKey,
  HEADINGS,
  normalize,
  readForeignUnit,
  readUnit,
  stripUnit,
} from "./headings.ts";
import type { Units } from "#services/attendance/model.ts";
import type { DayRange, SheetKind } from "./parts.ts";
import {
  type DayColumns,
  isDayLike,
  listDays,
  mapDays,
  monthRange,
  readGenerated,
  readRange,
  readTitle,
} from "./times.ts";

export interface TextRow {
  readonly row: number;
  readonly texts: readonly string[];
}

export interface SlotColumns {
  readonly kind: DailySlot["kind"];
  readonly number: number;
  time: number;
  result: number;
}

export interface Layout {
  readonly kind: SheetKind;
  readonly range: DayRange | null;
  readonly wrongRange: string;
  readonly generated: string | null;
  readonly lastHeadingRow: number;
  readonly columns: ReadonlyMap<ColumnKey, number>;
  readonly slots: readonly SlotColumns[];
  readonly dayLabels: readonly { readonly column: number; readonly label: string }[];
  /** The headings of columns that are not read because an earlier column has the same heading. */
  readonly repeated: readonly string[];
  readonly headings: ReadonlyMap<number, string>;
  readonly units: Units;
  readonly said: Readonly<Partial<Record<CopiedField, Unit | undefined>>>;
  /** The extra columns of leave and overtime (A17b), by heading without the unit. */
  readonly extra: ReadonlyMap<string, number>;
}

/** Only the first rows are searched for headings, since a sheet may have a million rows. */
export const LAST_HEADING_ROW = 100;
// A row with at least this many known headings is certainly the row of headings; one with fewer may belong to a small
// table above.
const CERTAIN_HEADINGS = 5;
const SHEET_WORDS: readonly (readonly [SheetKind, string])[] = [
  ["month", "月度汇总"],
  ["daily", "每日统计"],
  ["daily", "每日汇总"],
  ["original", "原始记录"],
  ["clock-times", "打卡时间"],
];
const NEEDED: Readonly<Record<SheetKind, readonly ColumnKey[]>> = {
  month: ["name"],
  daily: ["name", "day"],
  original: ["name", "day", "time", "result", "address"],
  identity: ["name", "workNumber", "idCard"],
  "clock-times": ["name"],
};
const SLOT = /^(上班|下班)(\d{0,2})打卡(时间|结果)$/;

export function kindOfName(name: string): SheetKind | undefined {
  const text = normalize(name);
  return SHEET_WORDS.find(([, word]) => text === word || text === `${word}表`)?.[0];
}

/**
 * Finds the headings, which take one row or two.
 * @param named the kind that the sheet's name states
 */
export function findLayout(rows: readonly TextRow[], named: SheetKind | undefined): Layout | undefined {
  const certain = rows.findIndex(isHeadingRow);
  const [top] = rows
    .slice(0, certain === -1 ? rows.length : certain + 1)
    .map((row) => ({ row, known: listKnown(row).size }))
    .filter(({ known }) => known > 1)
    .sort((left, right) => right.known - left.known)
    .map(({ row }) => row);
  if (top === undefined) return undefined;
  const sub = findSubRow(rows, top);
  const cells = joinHeadings(top, sub);
  const titles = rows.filter((row) => row.row < top.row).map((row) => row.texts.join(" "));
  const { range = null, wrongRange = "" } = titles.map(readTitle).find((title) => title !== undefined) ?? {};
  const generated = titles.map(readGenerated).find((day) => day !== null) ?? null;
  const units: Partial<Record<string, Unit>> = {};
  const said: Partial<Record<CopiedField, Unit | undefined>> = {};
  const extra = new Map<string, number>();
  const columns = new Map<ColumnKey, number>();
  const repeated: string[] = [];
  const slots: SlotColumns[] = [];
  const days = cells.filter((cell) => normalize(cell.group) === "考勤结果");
  for (const cell of cells) {
    if (days.includes(cell) || addSlot(slots, cell)) continue;
    const key = findColumnKey(cell.leaf) ?? (isUnitAlone(cell.leaf) ? findColumnKey(cell.group) : undefined);
    if (key === undefined) {
      const heading = nameExtra(cell, extra);
      if (heading === undefined) continue;
      extra.set(heading, cell.column);
      const unit = readUnit(cell.leaf) ?? readUnit(cell.group);
      if (unit !== undefined) units[heading] = unit;
      continue;
    }
    if (columns.has(key)) {
      repeated.push(cell.leaf);
      continue;
    }
    columns.set(key, cell.column);
    if (isCopied(key)) said[key] = readUnit(cell.leaf) ?? readUnit(cell.group);
    const unit = isCopied(key) ? readForeignUnit(key, cell.leaf, cell.group) : undefined;
    if (isCopied(key) && unit !== undefined) units[key] = unit;
  }
  const dayLabels = listDayLabels(cells, days, Math.max(-1, ...columns.values()));
  const kind = chooseKind(named, rows, { columns, slots, hasDays: days.length > 0 });
  if (kind === undefined) return undefined;
  const headings = new Map(
    cells.flatMap(({ column, group, leaf }) =>
      leaf === "" ? [] : [[column, isUnitAlone(leaf) ? group + leaf : leaf] as const],
    ),
  );
  const lastHeadingRow = sub?.row ?? top.row;
  return {
    kind,
    range,
    wrongRange,
    generated,
    lastHeadingRow,
    columns,
    slots,
    dayLabels,
    repeated,
    headings,
    units,
    said,
    extra,
  };
}

// Companies define leave types freely, such as 哺乳假 or 补休.
const LEAVE_OR_OVERTIME = /加班|[调补轮]休|假/;

function nameExtra({ group, leaf }: HeadingCell, others: ReadonlyMap<string, number>): string | undefined {
  const [own, above] = [stripUnit(leaf), stripUnit(group)];
  const both = [above, own].filter((text) => text !== "").join("-");
  const names = LEAVE_OR_OVERTIME.test(own) ? [own, both] : LEAVE_OR_OVERTIME.test(above) ? [both] : [];
  return leaf === "" ? undefined : names.find((name) => !others.has(name));
}

const isUnitAlone = (leaf: string): boolean => readUnit(leaf) !== undefined && stripUnit(leaf) === "";

/**
 * Returns undefined if the sheet can be read.
 * @param layout {} if no headings were found
 */
export function findFault(
  { wrongRange = "", columns = new Map(), slots = [], dayLabels = [], repeated = [] }: Partial<Layout>,
  kind: SheetKind,
  sheet: string,
): SpreadsheetError | undefined {
  if (wrongRange !== "") return new SpreadsheetError("wrong-range", { sheet, headings: [wrongRange] });
  const missing = NEEDED[kind].filter((key) => !columns.has(key)).map((key) => nameColumn(key, kind));
  if (kind === "daily" && slots.length === 0) missing.push("上班1打卡时间");
  if (hasDayColumns(kind) && !dayLabels.some(({ label }) => label !== ""))
    missing.push(kind === "month" ? "考勤结果" : "打卡时间");
  if (missing.length > 0)
    return new SpreadsheetError("missing-heading", { sheet, headings: missing, advice: adviseExport(kind) });
  const doubled = repeated.filter((heading) => NEEDED[kind].some((key) => findColumnKey(heading) === key));
  return doubled.length > 0 ? new SpreadsheetError("double-heading", { sheet, headings: doubled }) : undefined;
}

export const hasDayColumns = (kind: SheetKind): boolean => kind === "month" || kind === "clock-times";

export function nameColumn(key: ColumnKey, kind: SheetKind): string {
  return key === "day" && kind === "original" ? "考勤日期" : (HEADINGS[key][0] ?? key);
}

export const findDayColumns = (layout: Layout, period: Period): DayColumns =>
  mapDays(layout.dayLabels, layout.range, period);

export function findColumnDays(layout: Layout, period: Period): DayRange | null {
  const { columns } = findDayColumns(layout, period);
  const days = listDays(monthRange(period)).filter((_, index) => (columns[index] ?? -1) !== -1);
  const [start, end] = [days.at(0), days.at(-1)];
  return start === undefined || end === undefined ? null : { start, end };
}

/** Returns true only if the row certainly has headings. Any further headings can then be only in the next row. */
export function isHeadingRow(row: TextRow): boolean {
  const known = listKnown(row);
  return known.size >= CERTAIN_HEADINGS || NEEDED.identity.every((key) => known.has(key));
}

const listKnown = (row: TextRow): Set<ColumnKey> =>
  new Set(row.texts.flatMap((text) => (text === "" ? [] : (findColumnKey(text) ?? []))));

// A second row of headings follows immediately, and its cells below 姓名, UserId, 工号, 日期 and 打卡时间 are empty.
function findSubRow(rows: readonly TextRow[], top: TextRow): TextRow | undefined {
  const next = rows.find((row) => row.row === top.row + 1);
  if (next === undefined) return undefined;
  const isPerson = top.texts.some((text, column) => {
    const key = text === "" ? undefined : findColumnKey(text);
    return (
      (key === "name" || key === "userId" || key === "workNumber" || key === "day" || key === "time") &&
      (next.texts[column] ?? "") !== "" &&
      // In the sheet 打卡时间, the heading 打卡时间 spans all day columns.
      !(key === "time" && isDayLike(next.texts[column] ?? ""))
    );
  });
  return isPerson ? undefined : next;
}

interface HeadingCell {
  readonly column: number;
  readonly group: string;
  readonly leaf: string;
}

function joinHeadings(top: TextRow, sub: TextRow | undefined): HeadingCell[] {
  const width = Math.max(top.texts.length, sub?.texts.length ?? 0);
  let group = "";
  return Array.from({ length: width }, (_, column) => {
    const [upper, lower] = [(top.texts[column] ?? "").trim(), (sub?.texts[column] ?? "").trim()];
    if (upper !== "") group = upper;
    return lower === "" ? { column, group: "", leaf: upper } : { column, group, leaf: lower };
  });
}

// If no heading spans the day columns, the day columns are those whose label is a number and those after the last known
// column. A blank label between days is a day too.
function listDayLabels(
  cells: readonly HeadingCell[],
  days: readonly HeadingCell[],
  lastKnown: number,
): Layout["dayLabels"] {
  const isDay = (cell: HeadingCell): boolean =>
    days.length > 0 ? days.includes(cell) : cell.column > lastKnown || /^\d{1,2}$/.test(cell.leaf);
  const columns = cells.filter((cell) => cell.leaf !== "" && isDay(cell)).map((cell) => cell.column);
  const [first, last] = [columns[0] ?? 0, columns.at(-1) ?? -1];
  return cells
    .filter((cell) => cell.column >= first && cell.column <= last && (cell.leaf === "" || isDay(cell)))
    .map(({ column, leaf }) => ({ column, label: leaf }));
}

function addSlot(slots: SlotColumns[], { column, group, leaf }: HeadingCell): boolean {
  const [, kind, number = "", what] = SLOT.exec(normalize(leaf)) ?? SLOT.exec(normalize(group + leaf)) ?? [];
  if (kind !== "上班" && kind !== "下班") return false;
  const place = Number(number || 1);
  let slot = slots.find((known) => known.kind === kind && known.number === place);
  if (slot === undefined) slots.push((slot = { kind, number: place, time: -1, result: -1 }));
  if (what === "时间") slot.time = column;
  else slot.result = column;
  return true;
}

// The kind is stated by the sheet's name or else by the title; without either, it follows from the headings.
function chooseKind(
  named: SheetKind | undefined,
  rows: readonly TextRow[],
  { columns, slots, hasDays }: Pick<Layout, "columns" | "slots"> & { readonly hasDays: boolean },
): SheetKind | undefined {
  if (named !== undefined) return named;
  const first = rows.find((row) => row.texts.some((text) => text !== ""))?.texts.find((text) => text !== "") ?? "";
  const title = readRange(first) === null ? "" : normalize(first.slice(0, 30));
  const titled = SHEET_WORDS.find(([, word]) => title.startsWith(word))?.[0];
  if (titled !== undefined) return titled;
  if (columns.has("idCard")) return "identity";
  if (columns.has("day") && (columns.has("shift") || slots.length > 0)) return "daily";
  if (columns.has("day") && columns.has("result")) return "original";
  const figures = [...columns.keys()].filter(isCopied).length;
  return figures >= 2 || (hasDays && figures > 0) ? "month" : undefined;
}
