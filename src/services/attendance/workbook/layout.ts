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
  type Units,
} from "./headings.ts";
import type { DayRange, SheetKind } from "./index.ts";
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

/** A row of texts, by column from 0; columns without text may be missing at its end. */
export interface TextRow {
  readonly row: number;
  readonly texts: readonly string[];
}

export interface SlotColumns {
  readonly kind: DailySlot["kind"];
  readonly number: number;
  /** -1 for a column that is not there. */
  time: number;
  result: number;
}

/** Where everything stands in a sheet. Columns count from 0. */
export interface Layout {
  readonly kind: SheetKind;
  readonly range: DayRange | null;
  /** A range of the title that cannot be, such as one that ends before it begins; "" for none. */
  readonly wrongRange: string;
  /** The day on which the export was made, yyyy-MM-dd; null where no title says it. */
  readonly generated: string | null;
  /** Rows up to this one are titles and headings. */
  readonly lastHeadingRow: number;
  readonly columns: ReadonlyMap<ColumnKey, number>;
  readonly slots: readonly SlotColumns[];
  /** The labelled columns that may be days, from the left. */
  readonly dayLabels: readonly { readonly column: number; readonly label: string }[];
  /** Columns whose heading was met before in the same sheet, and which are not read. */
  readonly repeated: readonly string[];
  /** What stands above each column, its unit included. */
  readonly headings: ReadonlyMap<number, string>;
  readonly units: Units;
  /** The units of copied columns as their headings have them, their own too. */
  readonly said: Readonly<Partial<Record<CopiedField, Unit | undefined>>>;
  /** Columns of leave and overtime that no field takes (A17b), by their headings without units. */
  readonly extra: ReadonlyMap<string, number>;
}

/** Titles and headings are looked for in the first rows only, since the rest may be a million. */
export const LAST_HEADING_ROW = 100;
// So many known headings in a row are headings for certain; fewer may be a small table above them.
const CERTAIN_HEADINGS = 5;
// What the sheets are called; in titles and as names of sheets with 表 behind it or without.
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

/** The kind that a sheet's own name says, or undefined. */
export function kindOfName(name: string): SheetKind | undefined {
  const text = normalize(name);
  return SHEET_WORDS.find(([, word]) => text === word || text === `${word}表`)?.[0];
}

/** Finds the headings among a sheet's first rows, in one row or two. @param named what the sheet's name says */
export function findLayout(rows: readonly TextRow[], named: SheetKind | undefined): Layout | undefined {
  // The row of the headings, as far as it can be told from the rows so far: the one that knows most.
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

// Each company names its kinds of leave as it likes: 哺乳假, 补休.
const LEAVE_OR_OVERTIME = /加班|[调补轮]休|假/;

/** The name of a column of leave or overtime, with that of its group where it alone would not tell; undefined for others. */
function nameExtra({ group, leaf }: HeadingCell, others: ReadonlyMap<string, number>): string | undefined {
  const [own, above] = [stripUnit(leaf), stripUnit(group)];
  const both = [above, own].filter((text) => text !== "").join("-");
  const names = LEAVE_OR_OVERTIME.test(own) ? [own, both] : LEAVE_OR_OVERTIME.test(above) ? [both] : [];
  return leaf === "" ? undefined : names.find((name) => !others.has(name));
}

const isUnitAlone = (leaf: string): boolean => readUnit(leaf) !== undefined && stripUnit(leaf) === "";

/**
 * What a sheet lacks, or columns that both claim to be what makes the row; undefined for one that can be read.
 * @param layout {} for a sheet in which nothing was found
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

/** Whether a sheet has a row a person, and a column a day. */
export const hasDayColumns = (kind: SheetKind): boolean => kind === "month" || kind === "clock-times";

/** The heading of a column as people know it in that sheet. */
export function nameColumn(key: ColumnKey, kind: SheetKind): string {
  return key === "day" && kind === "original" ? "考勤日期" : (HEADINGS[key][0] ?? key);
}

export const findDayColumns = (layout: Layout, period: Period): DayColumns =>
  mapDays(layout.dayLabels, layout.range, period);

/** The first and the last day of the month that has a column; null where none has. */
export function findColumnDays(layout: Layout, period: Period): DayRange | null {
  const { columns } = findDayColumns(layout, period);
  const days = listDays(monthRange(period)).filter((_, index) => (columns[index] ?? -1) !== -1);
  const [start, end] = [days.at(0), days.at(-1)];
  return start === undefined || end === undefined ? null : { start, end };
}

/** True for a row that is the headings for certain, so that only the row behind it may still belong to them. */
export function isHeadingRow(row: TextRow): boolean {
  const known = listKnown(row);
  return known.size >= CERTAIN_HEADINGS || NEEDED.identity.every((key) => known.has(key));
}

const listKnown = (row: TextRow): Set<ColumnKey> =>
  new Set(row.texts.flatMap((text) => (text === "" ? [] : (findColumnKey(text) ?? []))));

// The second heading row follows at once, and says nothing of a person. Rows without any text never arrive here.
function findSubRow(rows: readonly TextRow[], top: TextRow): TextRow | undefined {
  const next = rows.find((row) => row.row === top.row + 1);
  if (next === undefined) return undefined;
  const isPerson = top.texts.some((text, column) => {
    const key = text === "" ? undefined : findColumnKey(text);
    return (
      (key === "name" || key === "userId" || key === "workNumber" || key === "day" || key === "time") &&
      (next.texts[column] ?? "") !== "" &&
      // 打卡时间 stands above the days of the sheet of that name.
      !(key === "time" && isDayLike(next.texts[column] ?? ""))
    );
  });
  return isPerson ? undefined : next;
}

interface HeadingCell {
  readonly column: number;
  /** The text of the merged cell above, "" where the heading stands alone. */
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

// Without a group heading, days are numbers, or what stands behind the last column that is known. A blank
// label between two days keeps its place.
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

// The name decides first, then the title, then what the headings are.
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
