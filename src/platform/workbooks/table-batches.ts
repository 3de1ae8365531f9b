import { describeMissing, findHeadingRow, LAST_HEADING_ROW } from "./headings.ts";
import type { Heading, HeadingRow, ValueRow } from "./headings.ts";
import type { SpreadsheetLimits } from "./limits.ts";
import { openWorkbook } from "./open-workbook.ts";
import type { OpenWorkbook, SheetFile } from "./open-workbook.ts";
import type { CellValue, RawRow, SheetSource } from "./raw-row.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";

/** A sheet's name, or its place from 0; left out, the first one that is visible. */
export type SheetChoice = string | number | undefined;

/** What to read; it can be sent to a worker thread as it is. */
export type TableOrder = {
  readonly path: string;
  readonly headings: readonly Heading[];
  readonly limits: SpreadsheetLimits;
  readonly sheet: SheetChoice;
};

/** Rows as they cross from the worker: arrays, so that the keys cross once a batch. */
export type TableBatch = {
  readonly keys: readonly string[];
  readonly rows: number[];
  readonly values: (readonly (CellValue | null)[])[];
};

/** Reads the rows below the headings, each with its values in the order of `keys`. Errors: `SpreadsheetError`. */
export async function* readTableBatches(order: TableOrder): AsyncGenerator<TableBatch> {
  const workbook = await openWorkbook(order.path, order.limits);
  try {
    yield* readSheet(chooseSheet(workbook, order.sheet).open(), order);
  } finally {
    workbook.close();
  }
}

function chooseSheet({ kind, sheets }: OpenWorkbook, choice: SheetChoice): SheetFile {
  const sheet = findSheet(sheets, kind === "csv" ? undefined : choice);
  if (sheet !== undefined) return sheet;
  throw new SpreadsheetError("format", "no-sheet", choice === undefined ? {} : { sheet: String(choice) });
}

function findSheet(sheets: readonly SheetFile[], choice: SheetChoice): SheetFile | undefined {
  if (typeof choice === "number") return sheets[choice];
  if (typeof choice === "string") return sheets.find((sheet) => sheet.name.trim() === choice.trim());
  return sheets.find((sheet) => sheet.isVisible) ?? sheets[0];
}

async function* readSheet(source: SheetSource, order: TableOrder): AsyncGenerator<TableBatch> {
  const early: ValueRow[] = [];
  let table = undefined as Table | undefined;
  const begin = (): Table => {
    table = openTable(requireHeadings(early, order.headings));
    for (const { row, values } of early)
      table.add(
        row,
        table.columns.map((column) => values[column]),
      );
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
    if (chars > maxRowChars) throw new SpreadsheetError("limit", "row-text", { row: raw.row });
    return value;
  });
}

function requireHeadings(rows: readonly ValueRow[], headings: readonly Heading[]): HeadingRow {
  const candidates = rows.filter((row) => row.row <= LAST_HEADING_ROW);
  const found = findHeadingRow(candidates, headings);
  if (found === undefined) throw describeMissing(candidates, headings);
  return found;
}

interface Table {
  /** Where its columns are in the sheet, from 0. */
  readonly columns: readonly number[];
  /** Adds a row unless it has no value or stands above the headings. */
  add(row: number, values: readonly (CellValue | undefined)[]): void;
  hasRows(): boolean;
  take(): TableBatch;
}

function openTable(heading: HeadingRow): Table {
  const keys = [...heading.columns.values()];
  const begin = (): TableBatch => ({ keys, rows: [], values: [] });
  let batch = begin();
  return {
    columns: [...heading.columns.keys()],
    add(row, values) {
      if (row <= heading.row || values.every((value) => value === undefined)) return;
      batch.rows.push(row);
      batch.values.push(values.map((value) => value ?? null));
    },
    hasRows: () => batch.rows.length > 0,
    take() {
      const taken = batch;
      batch = begin();
      return taken;
    },
  };
}
