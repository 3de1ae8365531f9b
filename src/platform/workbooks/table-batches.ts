import { describeMissing, findHeadingRow, LAST_HEADING_ROW } from "./headings.ts";
import type { Heading, HeadingRow } from "./headings.ts";
import type { SpreadsheetLimits } from "./limits.ts";
import { openRows } from "./open-rows.ts";
import type { SheetChoice } from "./open-rows.ts";
import type { CellValue, ColumnChoice, SheetRow } from "./sheet-rows.ts";

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
  readonly rows: readonly number[];
  readonly values: readonly (readonly (CellValue | null)[])[];
};

/** Reads the rows below the headings, each with its values in the order of `keys`. */
export async function* readTableBatches(order: TableOrder): AsyncGenerator<TableBatch> {
  const choice: ColumnChoice = { columns: undefined };
  const early: SheetRow[] = [];
  let heading: HeadingRow | undefined;
  for await (const batch of openRows(order.path, order.limits, choice, order.sheet)) {
    if (heading !== undefined) {
      yield toTableBatch(batch, heading);
      continue;
    }
    early.push(...batch);
    if ((early.at(-1)?.row ?? 0) < LAST_HEADING_ROW) continue;
    heading = requireHeadings(early, order.headings);
    choice.columns = new Set(heading.columns.keys());
    yield toTableBatch(early, heading);
  }
  if (heading === undefined) yield toTableBatch(early, requireHeadings(early, order.headings));
}

function requireHeadings(rows: readonly SheetRow[], headings: readonly Heading[]): HeadingRow {
  const candidates = rows.filter((row) => row.row <= LAST_HEADING_ROW);
  const found = findHeadingRow(candidates, headings);
  if (found === undefined) throw describeMissing(candidates, headings);
  return found;
}

function toTableBatch(rows: readonly SheetRow[], heading: HeadingRow): TableBatch {
  const columns = [...heading.columns];
  const below = rows.filter((row) => row.row > heading.row && columns.some(([column]) => row.cells.has(column)));
  return {
    keys: columns.map(([, key]) => key),
    rows: below.map((row) => row.row),
    values: below.map((row) => columns.map(([column]) => row.cells.get(column) ?? null)),
  };
}
