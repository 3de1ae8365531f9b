import type { Heading } from "./headings.ts";
import type { CellValue } from "./raw-row.ts";
import { DEFAULT_LIMITS, type SpreadsheetLimits } from "./spreadsheet-error.ts";
import { streamFromWorker } from "./worker-stream.ts";

export type TableRequest<Key extends string> = {
  readonly path: string;
  readonly headings: readonly Heading<Key>[];
  readonly limits?: Partial<SpreadsheetLimits>;
};

/** A row below the headings; keys whose cell is empty are left out. */
export type TableRow<Key extends string> = {
  /** The sheet's own row number, from 1. */
  readonly row: number;
  readonly cells: { readonly [K in Key]?: CellValue };
};

/** What the worker is to read. */
export type TableOrder = Required<TableRequest<string>> & { readonly limits: SpreadsheetLimits };

/** Rows as they cross from the worker: arrays, so that the keys cross once a batch. */
export interface TableBatch {
  readonly keys: readonly string[];
  readonly rows: number[];
  readonly values: (readonly (CellValue | null)[])[];
}

// Off the heap come the shared strings and the inflated chunks, which have limits of their own.
const MAX_HEAP_MB = 256;
const WORKER_FILE = new URL("./table-worker.ts", import.meta.url);

/**
 * Reads a table from an .xlsx workbook or a CSV file by its headings, which may stand in any order in
 * any of the first ten rows; other columns are not read. Rows without any value are left out; the others come in batches.
 *
 * The file is read in a worker thread, so that a large one delays no other request, in bounded memory
 * whatever it holds. Leaving the loop early ends the worker.
 *
 * Errors: `SpreadsheetError` for a fault of the file, at the first batch asked for or any later one.
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
