import { describeMissing, findHeadingRow, type Heading, LAST_HEADING_ROW, type ValueRow } from "./headings.ts";
import type { SpreadsheetLimits } from "./limits.ts";
import { openWorkbook } from "./open-workbook.ts";
import type { CellValue, RawRow, SheetSource } from "./raw-row.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";

/** What to read; it can be sent to a worker thread as it is. */
export interface TableOrder {
  readonly path: string;
  readonly headings: readonly Heading[];
  readonly limits: SpreadsheetLimits;
}

/** Rows as they cross from the worker: arrays, so that the keys cross once a batch. */
export interface TableBatch {
  readonly keys: readonly string[];
  readonly rows: number[];
  readonly values: (readonly (CellValue | null)[])[];
}

/**
 * Reads the rows below the headings of the first visible sheet, each with its values in the order of `keys`.
 * Errors: `SpreadsheetError`.
 */
export async function* readTableBatches(order: TableOrder): AsyncGenerator<TableBatch> {
  const { sheets, close } = await openWorkbook(order.path, order.limits);
  try {
    const sheet = sheets.find(({ isVisible }) => isVisible) ?? sheets[0];
    if (sheet === undefined) throw new SpreadsheetError("no-sheet");
    yield* readSheet(sheet.open(), order);
  } finally {
    close();
  }
}

async function* readSheet(source: SheetSource, order: TableOrder): AsyncGenerator<TableBatch> {
  const early: ValueRow[] = [];
  let table = undefined as Table | undefined;
  const begin = (): Table => {
    table = openTable(early, order.headings);
    source.choose(table.columns);
    return table;
  };
  const run = source.run((raw) => {
    const values = readValues(raw, source, order.limits);
    if (table !== undefined) return table.add(raw.row, values);
    early.push({ row: raw.row, values });
    if (raw.row >= LAST_HEADING_ROW) begin();
  });
  for await (const _ of run) if (table?.hasRows()) yield table.take();
  yield (table ?? begin()).take();
}

/** A cell that holds no text is none. */
function readValues(raw: RawRow, source: SheetSource, { maxRowChars }: SpreadsheetLimits): (CellValue | undefined)[] {
  let chars = 0;
  return raw.raws.map((_, slot) => {
    const value = source.toValue(raw, slot);
    if (typeof value === "string") chars += value.length;
    // Shared texts may make far more of a row than its own bytes.
    if (chars > maxRowChars) throw new SpreadsheetError("row-text", { row: raw.row });
    return value;
  });
}

interface Table {
  /** Where its columns are in the sheet, from 0. */
  readonly columns: readonly number[];
  /** Adds a row, of the columns alone, unless it has no value or stands above the headings. */
  add(row: number, values: readonly (CellValue | undefined)[]): void;
  hasRows(): boolean;
  take(): TableBatch;
}

/** @param early the first rows, whole: those up to the headings, and maybe some behind them */
function openTable(early: readonly ValueRow[], headings: readonly Heading[]): Table {
  const candidates = early.filter(({ row }) => row <= LAST_HEADING_ROW);
  const heading = findHeadingRow(candidates, headings);
  if (heading === undefined) throw describeMissing(candidates, headings);
  const [columns, keys] = [[...heading.columns.keys()], [...heading.columns.values()]];
  const begin = (): TableBatch => ({ keys, rows: [], values: [] });
  let batch = begin();
  const add: Table["add"] = (row, values) => {
    if (row <= heading.row || values.every((value) => value === undefined)) return;
    batch.rows.push(row);
    batch.values.push(values.map((value) => value ?? null));
  };
  for (const { row, values } of early)
    add(
      row,
      columns.map((column) => values[column]),
    );
  return {
    columns,
    add,
    hasRows: () => batch.rows.length > 0,
    take() {
      const taken = batch;
      batch = begin();
      return taken;
    },
  };
}
