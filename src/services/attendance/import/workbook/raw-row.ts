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
  /** True where a slot is "lost". */
  hasLost: boolean;
}

/** How a raw cell is to be understood. */
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
  /** A formula without a saved value, or an error: there is no text, though people may see one. */
  lost: 9,
} as const;

/**
 * Resolves a raw cell to the text that people see in it, or to "" where that has more than `mostChars`, which is told
 * without looking at the text. Errors: `SpreadsheetError`.
 */
export type CellDecoder = (raw: string, kind: number, mostChars?: number) => string;

/** Where rows come from: an XML sheet or CSV text. */
export interface RowSource {
  readonly decode: CellDecoder;
  /**
   * Calls `onRow` for each row with a cell in a chosen column; yields from time to time, with the part of the
   * source that is read, from 0 to 1.
   */
  run(onRow: (row: RawRow) => void): AsyncIterable<number>;
  /** From the next row on, slot n is column `columns[n]`, from 0; others are skipped unseen. */
  choose(columns: readonly number[]): void;
  /** Whether people do not see the column, from 0; known when the first row is. */
  isHidden(column: number): boolean;
}
