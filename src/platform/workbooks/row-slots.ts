import type { SpreadsheetLimits } from "./limits.ts";
import { isLost, KIND } from "./raw-row.ts";
import type { RawRow } from "./raw-row.ts";

/** The row under way, and which of its cells are kept. */
export interface RowSlots {
  readonly row: RawRow;
  /** From the next row on, slot n is column `columns[n]`, from 0. At first every column has the slot of its number. */
  readonly choose: (columns: readonly number[]) => void;
  /** The slot of a column; negative where it is not kept. */
  find(column: number): number;
  /** Whether no column behind this one has a slot. */
  endAt(column: number): boolean;
  /** Begins a row. */
  clear(number: number): void;
  keep(slot: number, raw: string, kind: number): void;
  hasCells(): boolean;
}

export function openRowSlots({ maxColumns }: SpreadsheetLimits): RowSlots {
  const row: RawRow = { row: 0, raws: [], kinds: [], hasLost: false };
  const { raws, kinds } = row;
  let slots: Int32Array | undefined;
  let [lastColumn, hasCells] = [maxColumns, false];
  const fillTo = (count: number): void => {
    while (raws.length < count) kinds[raws.push("") - 1] = KIND.empty;
  };
  return {
    row,
    choose(columns) {
      slots = new Int32Array(maxColumns).fill(-1);
      for (const [slot, column] of columns.entries()) slots[column] = slot;
      lastColumn = Math.max(-1, ...columns);
      raws.length = kinds.length = 0;
      fillTo(columns.length);
    },
    find: (column) => (slots === undefined ? column : (slots[column] ?? -1)),
    endAt: (column) => column >= lastColumn,
    clear(number) {
      row.row = number;
      row.hasLost = hasCells = false;
      if (slots === undefined) raws.length = kinds.length = 0;
      for (let slot = 0; slot < raws.length; slot++) {
        raws[slot] = "";
        kinds[slot] = KIND.empty;
      }
    },
    keep(slot, raw, kind) {
      if (slots === undefined) fillTo(slot);
      raws[slot] = raw;
      kinds[slot] = kind;
      hasCells = true;
      if (isLost(kind)) row.hasLost = true;
    },
    hasCells: () => hasCells,
  };
}
