import type { Bilingual } from "#platform/contract/language.ts";
import { openWorkbook, type OpenWorkbook } from "#platform/workbooks/open-workbook.ts";
import { isLost, KIND, type MergedRows, type RawRow, type SheetSource } from "#platform/workbooks/raw-row.ts";
import type { Period } from "#services/attendance/days.ts";
import { copiedFields, type IdentityRow, type MonthRow } from "#services/attendance/model.ts";
import { describeBadCell, monthNeeded, warnOfProducts } from "./advice.ts";
import { type MonthKept, openCopyBatch, type Outcome, type RowReader } from "./fields.ts";
import { chooseSheets, type FoundSheet, lookAtSheets } from "./find-sheets.ts";
import type { ReadOrder, ReadProgress, SheetKind, StoredSheet, WorkbookPart } from "./parts.ts";
import { findColumnDays, hasDayColumns } from "./layout.ts";
import { ROW_READERS } from "./row-readers.ts";
import { openWatcher, warnOfLayout, warnOfMerged, warnOfRows } from "./sheet-warnings.ts";
import { listMonths } from "./times.ts";

export interface ReadStep {
  readonly parts: readonly WorkbookPart[];
  readonly progress: ReadProgress;
}

const MAX_SHEETS = 64;
// Messages quote a sheet's name, so it is cut to three times the length that spreadsheet programs allow.
const MAX_NAME_CHARS = 93;
const READING_ORDER: readonly SheetKind[] = ["month", "daily", "clock-times", "original", "identity"];

export async function openBook({ path, limits }: Pick<ReadOrder, "path" | "limits">): Promise<OpenWorkbook> {
  const book = await openWorkbook(path, limits);
  const sheets = book.sheets.slice(0, MAX_SHEETS);
  return { ...book, sheets: sheets.map((file) => ({ ...file, name: file.name.slice(0, MAX_NAME_CHARS) })) };
}

export async function* readBook(order: ReadOrder): AsyncGenerator<ReadStep> {
  const book = await openBook(order);
  try {
    const looked = await lookAtSheets(book.sheets);
    const { found, months } = chooseSheets(looked, order);
    let rows = 0;
    let bytesRead = Math.max(0, book.bytes - found.reduce((sum, sheet) => sum + sheet.file.packedBytes, 0));
    yield { parts: warn(warnOfProducts(looked.seen)), progress: { bytesRead, rows } };
    for (const sheet of READING_ORDER.flatMap((kind) => found.find((candidate) => candidate.kind === kind) ?? [])) {
      for await (const step of readSheet(sheet, months, order)) {
        rows += step.rows;
        const read = Math.round(bytesRead + sheet.file.packedBytes * step.fraction);
        yield { parts: step.parts, progress: { bytesRead: read, rows } };
      }
      bytesRead += sheet.file.packedBytes;
    }
  } finally {
    book.close();
  }
}

const warn = (texts: readonly Bilingual[]) => texts.map((message) => ({ kind: "warning", message }) as const);

const BATCH_BYTES = 256 * 1024;
// A batch may exceed its limit by one chunk.
const SPARE_BYTES = 64 * 1024;
const BATCH_ROWS = 50;
// If no batch is complete after this many chunks, an incomplete batch is yielded, whose progress serves as a heartbeat.
const QUIET_CHUNKS = 64;
const MAX_BAD_ROWS = 1000;

/**
 * Yields batches, each with the fraction of the sheet read so far, from 0 to 1.
 * @param bookMonths the months of the workbook's titles
 */
async function* readSheet(sheet: FoundSheet, bookMonths: readonly string[], order: ReadOrder) {
  const { file, kind, layout } = sheet;
  const { range, units, said } = layout;
  const { periodStart } = order;
  const own = range ? listMonths(range, periodStart) : bookMonths;
  const monthOfSheet = (own.length === 1 ? own[0] : (order.month ?? own[0])) ?? null;
  const month = kind === "identity" ? null : monthOfSheet;
  if (month === null && hasDayColumns(kind)) throw monthNeeded(file.name);
  const kept: MonthKept = { month, periodStart, other: null };
  const period = month === null ? null : { month, periodStart };
  const told = warn(warnOfLayout(sheet, period, order.month));
  const columnDays = hasDayColumns(kind) && range === null && period ? findColumnDays(layout, period) : null;
  const begin = listStored(sheet).map(({ sheet: stored, from }): WorkbookPart => {
    const figures = stored === "month" ? copiedFields.filter((field) => layout.columns.has(field)) : [];
    return { kind: "sheet", sheet: stored, from, range, columnDays, month, bookMonths, units, said, figures };
  });
  yield { parts: [...begin, ...told], rows: 0, fraction: 0 };
  const source = file.open();
  const reader = ROW_READERS[kind](layout, kept, source.decode, sheet.standsIn);
  const collector = openCollector(sheet, reader);
  const belongings = (["department", "group"] as const).flatMap((key) => layout.columns.get(key) ?? []);
  const merged = hasDayColumns(kind) && belongings.length > 0 ? await source.listMerged(belongings) : [];
  const filler = openFiller(merged, reader.columns);
  source.choose(reader.columns);
  let quiet = 0;
  const run = source.run((row) => {
    if (row.row <= layout.lastHeadingRow || collector.isFull()) return;
    filler.fill(row);
    collector.take(reader.read(row), row);
  });
  for await (const fraction of run) {
    if (!collector.hasBatch() && ++quiet < QUIET_CHUNKS) continue;
    quiet = 0;
    yield { ...collector.flush(), fraction };
    if (collector.isFull()) break;
  }
  if (month === null && kept.other !== null && order.month === null)
    throw monthNeeded(file.name, [kept.month ?? "", kept.other].toSorted());
  const last = collector.flush();
  last.parts.push(...warn([...collector.conclude(sheet, source), ...warnOfMerged(sheet, filler.rows())]));
  if (kept.month !== null) yield* sendPeople(reader, { month: kept.month, periodStart });
  if (kind !== "identity") last.parts.push({ kind: "skipped", count: collector.skipped(), month: kept.month });
  yield { ...last, fraction: 1 };
}

function openFiller(merged: readonly MergedRows[], columns: readonly number[]) {
  const beginning = Map.groupBy(merged, ({ first }) => first);
  const open = new Map<number, { readonly last: number; readonly raw: string; readonly kind: number }>();
  const rows = new Set<number>();
  return {
    fill({ row, raws, kinds }: RawRow): void {
      for (const [slot, { last, raw, kind }] of open) {
        if (row > last) open.delete(slot);
        else if (raw !== "" && raws[slot] === "") {
          [raws[slot], kinds[slot]] = [raw, kind];
          rows.add(row);
        }
      }
      for (const { column, last } of beginning.get(row) ?? []) {
        const slot = columns.indexOf(column);
        open.set(slot, { last, raw: raws[slot] ?? "", kind: kinds[slot] ?? KIND.empty });
      }
    },
    rows: () => [...rows],
  };
}

/**
 * Lists the stored sheets that a found sheet provides. `from` is the kind of the found sheet if the stored sheet is
 * derived from it.
 */
export function listStored({ kind, standsIn }: FoundSheet): { sheet: StoredSheet; from: SheetKind | null }[] {
  const own = kind === "clock-times" ? { sheet: "daily" as const, from: kind } : { sheet: kind, from: null };
  return standsIn ? [{ sheet: "month", from: kind }, own] : [own];
}

function* sendPeople({ listPeople }: RowReader, period: Period) {
  const people = listPeople?.(period) ?? [];
  for (let at = 0; at < people.length; at += BATCH_ROWS) {
    const rows = people.slice(at, at + BATCH_ROWS);
    yield { parts: [{ kind: "rows", sheet: "month", rows } satisfies WorkbookPart], rows: 0, fraction: 1 };
  }
}

function openCollector({ kind, standsIn }: FoundSheet, reader: RowReader) {
  const watcher = openWatcher();
  const copiedAs = standsIn || kind === "daily" ? "daily" : kind === "original" ? kind : undefined;
  const lines = openCopyBatch(copiedAs ? BATCH_BYTES + SPARE_BYTES : 0);
  const lost = reader.columns.map(() => 0);
  const marks: number[] = [];
  let [lineCount, skipped, badRows] = [0, 0, 0];
  let rows: (MonthRow | IdentityRow)[] = [];
  let bad: WorkbookPart[] = [];
  return {
    take(outcome: Outcome, { row, hasLost, kinds }: RawRow): void {
      const what = outcome.kind;
      if (what === "line") {
        lines.add(outcome.line);
        lineCount += outcome.count ?? 1;
      } else if (what === "row") {
        rows.push(outcome.row);
        watcher.see(outcome.row);
      } else if (what === "outside") skipped += 1;
      else if (what === "mark") marks.push(row);
      else if (what === "bad" && badRows++ < MAX_BAD_ROWS)
        bad.push({ kind: "bad-row", row, field: outcome.field, message: describeBadCell(outcome.reason) });
      if (hasLost && (what === "line" || what === "row" || what === "bad"))
        for (const [slot, cell] of kinds.entries()) if (isLost(cell)) lost[slot] = (lost[slot] ?? 0) + 1;
    },
    hasBatch: () => lines.bytes() >= BATCH_BYTES || rows.length >= BATCH_ROWS || bad.length >= BATCH_ROWS,
    isFull: () => badRows >= MAX_BAD_ROWS,
    skipped: () => skipped,
    conclude: (sheet: FoundSheet, source: SheetSource): Bilingual[] => [
      ...watcher.conclude(),
      ...warnOfRows(sheet, source, reader, lost, marks),
    ],
    flush(): { parts: WorkbookPart[]; rows: number } {
      const parts = bad;
      if (lineCount > 0 && copiedAs)
        parts.push({ kind: "copy", sheet: copiedAs, count: lineCount, text: lines.take() });
      if (rows.length > 0) parts.push({ kind: "rows", sheet: kind, rows } as WorkbookPart);
      const count = lineCount + rows.length;
      [lineCount, rows, bad] = [0, [], []];
      return { parts, rows: count };
    },
  };
}
