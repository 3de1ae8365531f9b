import type { SpreadsheetLimits } from "./spreadsheet-error.ts";

/**
 * A row before its texts are resolved. `raws` and `kinds` are the scanner's own and change with the next
 * row: whoever keeps a row copies them.
 */
export interface RawRow {
  /** The sheet's own row number, from 1. */
  row: number;
  /** By slot: what stands in the cell, as bytes in Latin-1 (inline text still with its references). */
  readonly raws: string[];
  /** By slot, one of `KIND`. */
  readonly kinds: number[];
  /** True where a slot is "lost" or "error". */
  hasLost: boolean;
}

export const KIND = {
  empty: 0,
  number: 1,
  shared: 2,
  inline: 3,
  boolean: 4,
  /** What a failed formula shows, such as #N/A. */
  error: 5,
  date: 6,
  dateNumber: 7,
  plain: 8,
  /** A formula without a saved value: there is nothing, though people may see something. */
  lost: 9,
} as const;

/** Whether there is no text where people may see one. */
export const isLost = (kind: number): boolean => kind === KIND.lost || kind === KIND.error;

/**
 * A value read: text, a number, true or false; `date` for a cell with a date format (`yyyy-MM-dd`,
 * `yyyy-MM-ddTHH:mm:ss` or `HH:mm:ss`); `error` for what a failed formula shows (`#N/A`).
 */
export type CellValue = string | number | boolean | { readonly date: string } | { readonly error: string };

/**
 * Resolves a raw cell to the text that people see in it, or to "" where that has more than `mostChars`, which is told
 * without looking at the text. An error such as #N/A is no text: as an id it would join everybody who has it. Errors:
 * `SpreadsheetError`.
 */
export type CellDecoder = (raw: string, kind: number, mostChars?: number) => string;

export interface CellReader {
  readonly decode: CellDecoder;
  /** The value in a slot; undefined where there is none. Errors: `SpreadsheetError`. */
  readonly toValue: (row: RawRow, slot: number) => CellValue | undefined;
}

/** Where rows come from: an XML sheet or CSV text. */
export interface SheetSource extends CellReader {
  /**
   * Calls `onRow` for each row with a cell in a chosen column; yields from time to time, with the part of the
   * source that is read, from 0 to 1. Can be run once.
   */
  run(onRow: (row: RawRow) => void): AsyncIterable<number>;
  /** From the next row on, slot n is column `columns[n]`, from 0; others are skipped unseen. */
  choose(columns: readonly number[]): void;
  /** Whether people do not see the column, from 0; known when the first row is. */
  isHidden(column: number): boolean;
  /** The merged areas of more than one row that begin in these columns. They stand behind the rows, so the source is read once more. */
  listMerged(columns: readonly number[]): Promise<readonly MergedRows[]>;
}

/** Rows whose cells of a column are one: that of the first row has the text. */
export interface MergedRows {
  /** From 0. */
  readonly column: number;
  readonly first: number;
  readonly last: number;
}

/** The row under way, and which of its cells are kept: at first all, each column having the slot of its number. */
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
    /** From the next row on, slot n is column `columns[n]`, from 0. */
    choose: (columns: readonly number[]): void => {
      slots = new Int32Array(maxColumns).fill(-1);
      for (const [slot, column] of columns.entries()) slots[column] = slot;
      lastColumn = Math.max(-1, ...columns);
      raws.length = kinds.length = 0;
      fillTo(columns.length);
    },
    /** The slot of a column; negative where it is not kept. */
    find: (column: number): number => (slots === undefined ? column : (slots[column] ?? -1)),
    /** Whether no column behind this one has a slot. */
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
