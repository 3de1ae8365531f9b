import type { SpreadsheetLimits } from "./spreadsheet-error.ts";

/**
 * A row before its cells are decoded. The scanner reuses `raws` and `kinds` for the next row, so whoever keeps a row
 * must copy them.
 */
export interface RawRow {
  /** The sheet's own row number, from 1. */
  row: number;
  /** By slot, the cell content as Latin-1 bytes; inline text still contains references. */
  readonly raws: string[];
  /** By slot, a value of `KIND`. */
  readonly kinds: number[];
  /** Whether any slot is "lost" or "error". */
  hasLost: boolean;
}

export const KIND = {
  empty: 0,
  number: 1,
  shared: 2,
  inline: 3,
  boolean: 4,
  /** The result of a failed formula, such as #N/A. */
  error: 5,
  date: 6,
  dateNumber: 7,
  plain: 8,
  /** A formula without a cached result, although people may see one. */
  lost: 9,
} as const;

/** Whether the cell shows text that cannot be read. */
export const isLost = (kind: number): boolean => kind === KIND.lost || kind === KIND.error;

/**
 * A decoded value; `date` for date formats (`yyyy-MM-dd`, `yyyy-MM-ddTHH:mm:ss` or `HH:mm:ss`), `error` for failed
 * formulas (`#N/A`).
 */
export type CellValue = string | number | boolean | { readonly date: string } | { readonly error: string };

/**
 * Decodes a cell to its displayed text; empty if that is longer than `mostChars`, which is determined without decoding.
 * Errors such as #N/A are no text, since as an id they would match everybody who has one. Errors: `SpreadsheetError`.
 */
export type CellDecoder = (raw: string, kind: number, mostChars?: number) => string;

export interface CellReader {
  readonly decode: CellDecoder;
  /** The value in a slot, if any. Errors: `SpreadsheetError`. */
  readonly toValue: (row: RawRow, slot: number) => CellValue | undefined;
}

/** A source of rows: an XML sheet or CSV text. */
export interface SheetSource extends CellReader {
  /** Calls `onRow` for each row with a cell in a chosen column and yields its progress from 0 to 1. Can be run once. */
  run(onRow: (row: RawRow) => void): AsyncIterable<number>;
  /** From the next row on, slot n holds column `columns[n]`, from 0; other columns are skipped. */
  choose(columns: readonly number[]): void;
  /** Whether the column, from 0, is hidden; known with the first row. */
  isHidden(column: number): boolean;
  /** The vertically merged areas of these columns. They follow the rows in the file, so the source is read again. */
  listMerged(columns: readonly number[]): Promise<readonly MergedRows[]>;
}

/** A vertically merged area; its first row has the text. */
export interface MergedRows {
  /** From 0. */
  readonly column: number;
  readonly first: number;
  readonly last: number;
}

/** The current row and its column-to-slot mapping, initially one slot per column. */
export function openRowSlots({ maxColumns }: SpreadsheetLimits) {
  const row: RawRow = { row: 0, raws: [], kinds: [], hasLost: false };
  const { raws, kinds } = row;
  let slots: Int32Array | undefined;
  let [lastColumn, hasCells] = [maxColumns, false];
  const fillTo = (count: number): void => {
    while (raws.length < count) kinds[raws.push("") - 1] = KIND.empty;
  };
  return {
    row,
    choose: (columns: readonly number[]): void => {
      slots = new Int32Array(maxColumns).fill(-1);
      for (const [slot, column] of columns.entries()) slots[column] = slot;
      lastColumn = Math.max(-1, ...columns);
      raws.length = kinds.length = 0;
      fillTo(columns.length);
    },
    /** The slot of a column; negative if it is not kept. */
    find: (column: number): number => (slots === undefined ? column : (slots[column] ?? -1)),
    /** Whether no column after this one has a slot. */
    endAt: (column: number): boolean => column >= lastColumn,
    clear(number: number): void {
      row.row = number;
      row.hasLost = hasCells = false;
      if (slots === undefined) raws.length = kinds.length = 0;
      for (let slot = 0; slot < raws.length; slot++) {
        raws[slot] = "";
        kinds[slot] = KIND.empty;
      }
    },
    keep(slot: number, raw: string, kind: number): void {
      if (slots === undefined) fillTo(slot);
      raws[slot] = raw;
      kinds[slot] = kind;
      hasCells = true;
      if (isLost(kind)) row.hasLost = true;
    },
    hasCells: (): boolean => hasCells,
  };
}

export type RowSlots = ReturnType<typeof openRowSlots>;
