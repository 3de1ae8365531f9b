import type { SpreadsheetLimits } from "./spreadsheet-error.ts";

/** The scanner reuses `raws` and `kinds` for the next row, so a caller that keeps a row must copy them. */
export interface RawRow {
  row: number;
  /**
   * The contents of the cells, one per chosen column, as Latin-1 strings of their UTF-8 bytes, or as decoded text in a
   * CSV file. Inline text still contains references.
   */
  readonly raws: string[];
  readonly kinds: number[];
  hasLost: boolean;
}

export const KIND = {
  empty: 0,
  number: 1,
  shared: 2,
  inline: 3,
  boolean: 4,
  error: 5,
  date: 6,
  dateNumber: 7,
  plain: 8,
  /** A formula whose result is missing in the file, although a spreadsheet program may compute and display it. */
  lost: 9,
} as const;

export const isLost = (kind: number): boolean => kind === KIND.lost || kind === KIND.error;

/**
 * `date` has the form `yyyy-MM-dd`, `yyyy-MM-ddTHH:mm:ss` or `HH:mm:ss`, or is the unchanged text of a date cell;
 * `error` is the error of a failed formula, such as `#N/A`.
 */
export type CellValue = string | number | boolean | { readonly date: string } | { readonly error: string };

/**
 * Returns the value as text, or "" if the encoded value is too long for `mostChars` characters. Errors such as #N/A are
 * read as "", because as an id #N/A would match every other row with that error.
 * @throws {SpreadsheetError}
 */
export type CellDecoder = (raw: string, kind: number, mostChars?: number) => string;

export interface CellReader {
  readonly decode: CellDecoder;
  readonly toValue: (row: RawRow, slot: number) => CellValue | undefined;
}

export interface SheetSource extends CellReader {
  /**
   * Calls `onRow` for each row that has a cell in a chosen column, and yields the progress from 0 to 1. The source can
   * be run only once.
   */
  run(onRow: (row: RawRow) => void): AsyncIterable<number>;
  /**
   * Chooses the columns to read from the next row on: slot n contains column `columns[n]`, counted from 0. Other
   * columns are skipped.
   */
  choose(columns: readonly number[]): void;
  /** The result is known only after the first row has been read. */
  isHidden(column: number): boolean;
  /** Reads the source a second time, because merged areas come after the rows in the file. */
  listMerged(columns: readonly number[]): Promise<readonly MergedRows[]>;
}

export interface MergedRows {
  readonly column: number;
  readonly first: number;
  readonly last: number;
}

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
    find: (column: number): number => (slots === undefined ? column : (slots[column] ?? -1)),
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
