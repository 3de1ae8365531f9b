import type { Bilingual } from "#platform/contract/language.ts";
import { SpreadsheetError } from "#platform/workbooks/index.ts";
import { openWorkbook, type OpenWorkbook, type SheetFile } from "#platform/workbooks/open-workbook.ts";
import { type CellDecoder, isLost, type RawRow, type SheetSource } from "#platform/workbooks/raw-row.ts";
import { describeFileFault } from "#platform/workbooks/spreadsheet-error.ts";
import type { IdentityRow, MonthRow } from "#services/attendance/model.ts";
import { describeBadCell, monthNeeded } from "./advice.ts";
import { type MonthKept, openCopyBatch, type Outcome, type RowReader } from "./fields.ts";
import {
  chooseSheets,
  findSheets,
  type FoundSheet,
  type FoundSheets,
  lookAtSheets,
  type LookedAt,
  monthOfRange,
} from "./find-sheets.ts";
import type { BookPlace, DayRange, ReadOrder, ReadProgress, SheetKind, WorkbookPart } from "./index.ts";
import type { Layout } from "./layout.ts";
import { openDailyReader, openIdentityReader, openMonthReader, openOriginalReader } from "./row-readers.ts";
import { openWatcher, type ReadFacts, warnOfLayout, warnOfRows } from "./sheet-warnings.ts";

/** What is handed on at a time: parts in order, and how far the reading is. */
export interface ReadStep {
  readonly parts: readonly WorkbookPart[];
  readonly progress: ReadProgress;
}

const MAX_SHEETS = 64;
// Three times what spreadsheet programs allow; it is repeated in what people are told.
const MAX_NAME_CHARS = 93;
const READING_ORDER: readonly SheetKind[] = ["month", "daily", "original", "identity"];

/** Reads the sheets of the order. Errors: `SpreadsheetError`. */
export async function* readBook(order: ReadOrder): AsyncGenerator<ReadStep> {
  const book = await openBook(order);
  try {
    yield* readSheets(book.sheets, order, book.bytes);
  } finally {
    book.close();
  }
}

/** Opens a workbook or text, and of its sheets those that are looked at. Close it. Errors: `SpreadsheetError`. */
async function openBook({ path, limits }: BookPlace): Promise<OpenWorkbook> {
  const book = await openWorkbook(path, limits);
  const sheets = book.sheets.slice(0, MAX_SHEETS);
  return { ...book, sheets: sheets.map((file) => ({ ...file, name: file.name.slice(0, MAX_NAME_CHARS) })) };
}

async function* readSheets(
  files: readonly SheetFile[],
  order: ReadOrder,
  bytesTotal: number,
): AsyncGenerator<ReadStep> {
  const { found, others, month } = await findSheets(files, order);
  let rows = 0;
  let bytesRead = Math.max(0, bytesTotal - found.reduce((sum, sheet) => sum + sheet.file.packedBytes, 0));
  const progress = (sheet: SheetKind | null): ReadProgress => ({
    bytesRead: Math.round(bytesRead),
    bytesTotal,
    rows,
    sheet,
  });
  const notRead = others.map((part): WorkbookPart => ({
    kind: "sheet",
    month: null,
    isRead: false,
    units: {},
    ...part,
  }));
  yield { parts: notRead, progress: progress(null) };
  for (const kind of READING_ORDER) {
    const sheet = found.find((candidate) => candidate.kind === kind);
    if (sheet === undefined) continue;
    const start = bytesRead;
    for await (const step of readSheet(sheet, month, order)) {
      rows += step.rows;
      bytesRead = start + sheet.file.packedBytes * step.fraction;
      yield { parts: step.parts, progress: progress(kind) };
    }
    bytesRead = start + sheet.file.packedBytes;
  }
  bytesRead = bytesTotal;
  yield { parts: [], progress: progress(null) };
}

interface SheetStep {
  readonly parts: WorkbookPart[];
  /** Rows taken since the last step. */
  readonly rows: number;
  /** How much of the sheet is read, from 0 to 1. */
  readonly fraction: number;
}

// COPY text is handed on in pieces of this size, rows by so many: of a month with its day cells they are as much.
const BATCH_BYTES = 256 * 1024;
// What the last chunk before a piece is full usually brings.
const SPARE_BYTES = 64 * 1024;
const BATCH_ROWS = 50;
// A step without any part still tells how far the reading is, and that the worker lives.
const QUIET_CHUNKS = 64;
const MAX_BAD_ROWS = 1000;

/** Reads the rows of one sheet. `bookMonth` is what the titles of the workbook say. */
async function* readSheet(sheet: FoundSheet, bookMonth: string | null, order: ReadOrder): AsyncGenerator<SheetStep> {
  const { file, kind, layout } = sheet;
  const kept: MonthKept = { month: chooseMonth(sheet, bookMonth, order), other: null };
  const isFromRows = kept.month === null;
  const warn = (texts: readonly Bilingual[]) =>
    texts.map((message): WorkbookPart => ({ kind: "warning", sheet: kind, message }));
  const told = warnOfLayout(sheet, kept.month, order.month);
  yield { parts: [describeSheet(sheet, kept), ...warn(told)], rows: 0, fraction: 0 };
  const source = file.open();
  const reader = openRowReader(layout, kind, kept, source.decode);
  const collector = openCollector(kind);
  const losses = openLosses(reader);
  source.choose(reader.columns);
  let quiet = 0;
  const run = source.run((row) => {
    if (row.row <= layout.lastHeadingRow || collector.isFull()) return;
    const outcome = reader.read(row);
    if (row.hasLost) losses.see(row, outcome);
    collector.take(outcome, row.row);
  });
  for await (const fraction of run) {
    if (!collector.hasBatch() && ++quiet < QUIET_CHUNKS) continue;
    quiet = 0;
    yield { ...collector.flush(), fraction };
    if (collector.isFull()) break;
  }
  if (isFromRows && kept.other !== null && order.month === null)
    throw monthNeeded(file.name, null, [kept.month ?? "", kept.other].toSorted());
  const last = collector.flush();
  const facts = { reader, marks: collector.marks(), ...losses.conclude(sheet, source) };
  last.parts.push(...warn([...collector.conclude(), ...warnOfRows(kind, facts)]));
  if (kind !== "identity")
    last.parts.push({ kind: "skipped", sheet: kind, count: collector.skipped(), month: kept.month });
  yield { ...last, fraction: 1 };
}

function chooseMonth({ file, kind, layout }: FoundSheet, bookMonth: string | null, order: ReadOrder): string | null {
  if (kind === "identity") return null;
  const month = monthOfRange(layout.range) ?? (layout.range === null ? bookMonth : null) ?? order.month;
  const isInRows = kind !== "month" && layout.range === null;
  if (month === null && !isInRows) throw monthNeeded(file.name, layout.range);
  return month;
}

function describeSheet({ file, kind, layout }: FoundSheet, kept: MonthKept): WorkbookPart {
  const { range, units } = layout;
  return { kind: "sheet", sheet: kind, name: file.name, range, month: kept.month, isRead: true, units };
}

interface Losses {
  see(row: RawRow, outcome: Outcome): void;
  conclude(sheet: FoundSheet, source: SheetSource): Pick<ReadFacts, "lost" | "hidden">;
}

/** Counts the cells of a sheet's rows that have no text though they should. */
function openLosses(reader: RowReader): Losses {
  const counts = reader.columns.map(() => 0);
  return {
    see({ kinds }, outcome) {
      if (outcome.kind === "mark" || outcome.kind === "nothing" || outcome.kind === "outside") return;
      for (const [slot, kind] of kinds.entries()) if (isLost(kind)) counts[slot] = (counts[slot] ?? 0) + 1;
    },
    conclude({ layout }, source) {
      const userId = layout.columns.get("userId");
      const nameOf = (column: number): string => layout.headings.get(column) ?? "";
      const taken = reader.columns.map((column, slot) => ({ column, rows: counts[slot] ?? 0 }));
      return {
        lost: new Map(taken.flatMap(({ column, rows }) => (rows === 0 ? [] : [[nameOf(column), rows]]))),
        // The exports hide the UserId themselves.
        hidden: [...new Set(taken.map(({ column }) => column))]
          .filter((column) => column !== userId && source.isHidden(column))
          .map(nameOf),
      };
    },
  };
}

interface Collector {
  take(outcome: Outcome, row: number): void;
  hasBatch(): boolean;
  isFull(): boolean;
  skipped(): number;
  /** Rows of totals and signatures. */
  marks(): readonly number[];
  conclude(): Bilingual[];
  flush(): { parts: WorkbookPart[]; rows: number };
}

function openCollector(kind: SheetKind): Collector {
  const watcher = openWatcher(kind);
  const lines = openCopyBatch(kind === "daily" || kind === "original" ? BATCH_BYTES + SPARE_BYTES : 0);
  const marks: number[] = [];
  let [lineCount, skipped, badRows] = [0, 0, 0];
  let rows: (MonthRow | IdentityRow)[] = [];
  let bad: WorkbookPart[] = [];
  return {
    take(outcome, row) {
      if (outcome.kind === "line") {
        lines.add(outcome.line);
        lineCount += 1;
      } else if (outcome.kind === "row") {
        rows.push(outcome.row);
        watcher.see(outcome.row);
      } else if (outcome.kind === "outside") skipped += 1;
      else if (outcome.kind === "mark") marks.push(row);
      else if (outcome.kind === "bad" && badRows++ < MAX_BAD_ROWS) {
        bad.push({ kind: "bad-row", sheet: kind, row, field: outcome.field, message: describeBadCell(outcome.reason) });
      }
    },
    hasBatch: () => lines.bytes() >= BATCH_BYTES || rows.length >= BATCH_ROWS || bad.length >= BATCH_ROWS,
    isFull: () => badRows >= MAX_BAD_ROWS,
    skipped: () => skipped,
    marks: () => marks,
    conclude: () => watcher.conclude(),
    flush() {
      const parts = bad;
      if (lineCount > 0 && (kind === "daily" || kind === "original"))
        parts.push({ kind: "copy", sheet: kind, count: lineCount, text: lines.take() });
      if (rows.length > 0) parts.push({ kind: "rows", sheet: kind, rows } as WorkbookPart);
      const count = lineCount + rows.length;
      [lineCount, rows, bad] = [0, [], []];
      return { parts, rows: count };
    },
  };
}

/** Errors: none; what is wrong with a row is its outcome. */
function openRowReader(layout: Layout, kind: SheetKind, kept: MonthKept, decode: CellDecoder): RowReader {
  if (kind === "month") return openMonthReader(layout, kept, decode);
  if (kind === "identity") return openIdentityReader(layout, decode);
  return kind === "daily" ? openDailyReader(layout, kept, decode) : openOriginalReader(layout, kept, decode);
}

/** Sheets that are read together; the first must be there. */
export type SheetWish = readonly [SheetKind, ...SheetKind[]];

export interface LookOrder extends BookPlace {
  readonly wishes: readonly SheetWish[];
}

/** What reading the sheets of a wish would begin with: their days, or what would be said of the file. */
export type Prospect =
  | {
      readonly is: "found";
      /** The days of the title; null without one. */
      readonly range: DayRange | null;
      /** yyyy-MM: the one month of the titles; null where they say none, or days of several. */
      readonly month: string | null;
    }
  | { readonly is: "missing" | "faulty"; readonly says: Bilingual };

/** Reads the beginnings of the sheets, once for all wishes. Errors: `SpreadsheetError` of the file. */
export async function* lookAtBook({ wishes, ...place }: LookOrder): AsyncGenerator<readonly Prospect[]> {
  const book = await openBook(place);
  try {
    const looked = await lookAtSheets(book.sheets.map(cutShort));
    yield wishes.map((wish) => toProspect(looked, wish));
  } finally {
    book.close();
  }
}

// Of 64 KiB each in a workbook: whatever has no heading in 16 MiB is nothing that a look may take its time over.
const MOST_PIECES = 256;

const cutShort = (file: SheetFile): SheetFile => ({ ...file, open: () => boundPieces(file.open()) });

const boundPieces = (source: SheetSource): SheetSource => ({
  ...source,
  async *run(onRow) {
    let pieces = 0;
    for await (const fraction of source.run(onRow)) {
      if (++pieces > MOST_PIECES) throw new SpreadsheetError("memory");
      yield fraction;
    }
  },
});

function toProspect(looked: LookedAt, wish: SheetWish): Prospect {
  try {
    return describe(chooseSheets(looked, { sheets: wish, needed: [wish[0]] }), wish);
  } catch (error) {
    if (!(error instanceof SpreadsheetError)) throw error;
    return { is: error.reason === "no-sheet" ? "missing" : "faulty", says: describeFileFault(error) };
  }
}

const describe = ({ found, month }: FoundSheets, [needed]: SheetWish): Prospect => ({
  is: "found",
  range: found.find(({ kind }) => kind === needed)?.layout.range ?? null,
  month,
});
