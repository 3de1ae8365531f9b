import type { SpreadsheetLimits } from "./spreadsheet-error.ts";

/** The scanner reuses `raws` and `kinds` for the next row, so whoever keeps a row must copy them. */
export interface RawRow {
  row: number;
  /** Each slot holds a cell's content as Latin-1 bytes; inline text still contains references. */
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
  /** People may see a result of such a formula, but the file has none. */
  lost: 9,
} as const;

export const isLost = (kind: number): boolean => kind === KIND.lost || kind === KIND.error;

/**
 * A `date` is `yyyy-MM-dd`, `yyyy-MM-ddTHH:mm:ss` or `HH:mm:ss`; an `error` is that of a failed formula, such as
 * `#N/A`.
 */
export type CellValue = string | number | boolean | { readonly date: string } | { readonly error: string };

/**
 * Returns the displayed text; empty if that is longer than `mostChars`, which is determined without decoding. Errors
 * such as #N/A are no text, since as an id they would match everybody who has one.
 * @throws {SpreadsheetError}
 */
export type CellDecoder = (raw: string, kind: number, mostChars?: number) => string;

export interface CellReader {
  readonly decode: CellDecoder;
  readonly toValue: (row: RawRow, slot: number) => CellValue | undefined;
}

export interface SheetSource extends CellReader {
  /** Calls `onRow` for each row with a cell in a chosen column and yields its progress from 0 to 1. Can be run once. */
  run(onRow: (row: RawRow) => void): AsyncIterable<number>;
  /** From the next row on, slot n holds column `columns[n]`, from 0; other columns are skipped. */
  choose(columns: readonly number[]): void;
  /** Hidden columns are known with the first row. */
  isHidden(column: number): boolean;
  /** Merged areas follow the rows in the file, so the source is read again. */
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
