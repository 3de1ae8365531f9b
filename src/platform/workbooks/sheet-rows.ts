import type { SpreadsheetLimits } from "./limits.ts";
import { toDateText } from "./serial-date.ts";
import { boundText, joinText, unescapeText } from "./shared-strings.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";
import type { TextStore } from "./text-store.ts";
import { decodeUtf8, openXmlScanner, readAttribute } from "./xml-scan.ts";
import type { XmlHandler } from "./xml-scan.ts";

/**
 * A value read: text, a number, true or false; `date` for a cell with a date format (`yyyy-MM-dd`,
 * `yyyy-MM-ddTHH:mm:ss` or `HH:mm:ss`); `error` for what a failed formula shows (`#N/A`).
 */
export type CellValue = string | number | boolean | { readonly date: string } | { readonly error: string };

/** A row as it is in the sheet: its own number from 1, and its cells by column number from 0. */
export type SheetRow = { readonly row: number; readonly cells: Map<number, CellValue> };

/** Once set, only these columns are read; the text of others is skipped unseen. */
export type ColumnChoice = { columns: ReadonlySet<number> | undefined };

export type SheetContext = {
  readonly limits: SpreadsheetLimits;
  readonly choice: ColumnChoice;
  readonly sharedStrings: TextStore | undefined;
  readonly dateStyles: readonly boolean[];
  readonly startsIn1904: boolean;
};

/** Reads the rows of a worksheet's XML, in batches, without the empty ones. `<dimension>` is not believed. */
export async function* readSheetRows(
  bytes: AsyncIterable<Uint8Array>,
  context: SheetContext,
): AsyncGenerator<SheetRow[]> {
  let rows: SheetRow[] = [];
  const scanner = openXmlScanner(collectRows(context, (row) => void rows.push(row)));
  for await (const text of decodeUtf8(bytes)) {
    scanner.push(text);
    if (rows.length === 0) continue;
    const batch = rows;
    rows = [];
    yield batch;
  }
  scanner.end();
  if (rows.length > 0) yield rows;
}

type OpenCell = { column: number; type: string; style: number; text: string; isWanted: boolean };

function collectRows(context: SheetContext, emit: (row: SheetRow) => void): XmlHandler {
  const { limits, choice } = context;
  let isData = false;
  let rowCount = 0;
  let rowNumber = 0;
  let rowChars = 0;
  let cells = new Map<number, CellValue>();
  let nextColumn = 0;
  let phoneticDepth = 0;
  let isText = false;
  const cell: OpenCell = { column: 0, type: "", style: 0, text: "", isWanted: false };

  const openRow = (attributes: string): void => {
    rowNumber = toRowNumber(readAttribute(attributes, "r"), rowNumber + 1);
    rowCount += 1;
    if (rowNumber > limits.maxRows || rowCount > limits.maxRows) {
      throw new SpreadsheetError("limit", "rows", { limit: limits.maxRows });
    }
    [nextColumn, rowChars, cells] = [0, 0, new Map()];
  };
  const openCell = (attributes: string): void => {
    cell.column = toColumn(readAttribute(attributes, "r")) ?? nextColumn;
    nextColumn = cell.column + 1;
    if (cell.column >= limits.maxColumns) {
      throw new SpreadsheetError("limit", "columns", { limit: limits.maxColumns, row: rowNumber });
    }
    cell.isWanted = choice.columns === undefined || choice.columns.has(cell.column);
    cell.text = "";
    if (!cell.isWanted) return;
    cell.type = readAttribute(attributes, "t") ?? "n";
    cell.style = Number(readAttribute(attributes, "s") ?? 0);
  };
  const closeCell = (): void => {
    const value = cell.isWanted ? toValue(cell, context, rowNumber) : undefined;
    if (value === undefined || value === "") return;
    rowChars += typeof value === "string" ? value.length : 8;
    if (rowChars > limits.maxRowChars) throw new SpreadsheetError("limit", "row-text", { row: rowNumber });
    cells.set(cell.column, value);
  };

  return {
    open(name, attributes) {
      if (name === "sheetData") isData = true;
      else if (!isData) return;
      else if (name === "c") openCell(attributes);
      else if (name === "v" || name === "t") isText = cell.isWanted && phoneticDepth === 0;
      else if (name === "row") openRow(attributes);
      else if (name === "rPh") phoneticDepth += 1;
    },
    close(name) {
      if (!isData) return;
      if (name === "c") closeCell();
      else if (name === "v" || name === "t") isText = false;
      else if (name === "row" && cells.size > 0) emit({ row: rowNumber, cells });
      else if (name === "rPh") phoneticDepth -= 1;
      else if (name === "sheetData") isData = false;
    },
    text(piece) {
      if (isText) cell.text = joinText(cell.text, piece, limits.maxCellChars);
    },
  };
}

/** Rows come in order, each once: what is told of them goes by their numbers. */
function toRowNumber(text: string | undefined, next: number): number {
  if (text === undefined) return next;
  const row = Number(text);
  if (!Number.isInteger(row) || row < next) throw new SpreadsheetError("format", "damaged");
  return row;
}

// "AB12" is column 27. Letters are counted by hand: this runs once a cell.
function toColumn(reference: string | undefined): number | undefined {
  if (reference === undefined) return undefined;
  let column = 0;
  for (let at = 0; at < reference.length; at++) {
    const letter = reference.charCodeAt(at) & 0xdf;
    if (letter < 65 || letter > 90) break;
    column = column * 26 + letter - 64;
  }
  return column === 0 ? undefined : column - 1;
}

function toValue(cell: OpenCell, context: SheetContext, row: number): CellValue | undefined {
  const { text, type } = cell;
  if (type === "s") return text === "" ? undefined : context.sharedStrings?.get(Number(text));
  if (type === "inlineStr" || type === "str") return boundText(unescapeText(text), context.limits.maxCellChars, row);
  if (text === "") return undefined;
  if (type === "b") return text.trim() === "1" || text.trim() === "true";
  if (type === "e") return { error: boundText(text, 32, row) };
  if (type === "d") return { date: boundText(text, 32, row) };
  return toNumberOrDate(text, cell.style, context, row);
}

function toNumberOrDate(text: string, style: number, context: SheetContext, row: number): CellValue {
  const number = Number(text);
  if (!Number.isFinite(number)) return boundText(text, context.limits.maxCellChars, row);
  const date = context.dateStyles[style] ? toDateText(number, context.startsIn1904) : undefined;
  return date === undefined ? number : { date };
}
