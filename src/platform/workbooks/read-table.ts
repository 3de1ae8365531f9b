import type { Heading } from "./headings.ts";
import type { CellValue } from "./raw-row.ts";
import { DEFAULT_LIMITS, type SpreadsheetLimits } from "./spreadsheet-error.ts";
import { streamFromWorker } from "./worker-stream.ts";

export type TableRequest<Key extends string> = {
  readonly path: string;
  readonly headings: readonly Heading<Key>[];
  readonly limits?: Partial<SpreadsheetLimits>;
};

/** A row below the headings, without its empty cells. */
export type TableRow<Key extends string> = {
  /** The sheet's own row number, from 1. */
  readonly row: number;
  readonly cells: { readonly [K in Key]?: CellValue };
};

export type TableOrder = Required<TableRequest<string>> & { readonly limits: SpreadsheetLimits };

/** Rows as transferred from the worker; the keys are sent once per batch. */
export interface TableBatch {
  readonly keys: readonly string[];
  readonly rows: number[];
  readonly values: (readonly (CellValue | null)[])[];
}

// Shared strings and inflated chunks are off-heap and have their own limits.
const MAX_HEAP_MB = 256;
const WORKER_FILE = new URL("./table-worker.ts", import.meta.url);

/**
 * Reads a table from an .xlsx workbook or CSV file by its headings, which may be in any order in the first ten rows.
 * Other columns and empty rows are skipped. A worker thread reads in bounded memory, so that a large file delays no
 * request; leaving the loop early ends the worker. Errors: `SpreadsheetError` at any batch.
 */
export async function* readTable<Key extends string>(request: TableRequest<Key>): AsyncGenerator<TableRow<Key>[]> {
  const order: TableOrder = { ...request, limits: { ...DEFAULT_LIMITS, ...request.limits } };
  const texts = streamFromWorker<string>({ file: WORKER_FILE, order, maxHeapMb: MAX_HEAP_MB, prefetch: 1 });
  for await (const text of texts) {
    const { keys, rows, values } = JSON.parse(text) as TableBatch;
    if (rows.length === 0) continue;
    yield rows.map((row, index) => {
      const cells: Record<string, CellValue> = Object.create(null);
      values[index]?.forEach((value, position) => {
        const key = keys[position];
        if (value !== null && key !== undefined) cells[key] = value;
      });
      return { row, cells: cells as TableRow<Key>["cells"] };
    });
  }
}
