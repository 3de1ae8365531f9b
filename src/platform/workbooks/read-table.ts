import type { Heading } from "./headings.ts";
import type { CellValue } from "./raw-row.ts";
import { DEFAULT_LIMITS, type SpreadsheetLimits } from "./spreadsheet-error.ts";
import { streamFromWorker } from "./worker-stream.ts";

export type TableRequest<Key extends string> = {
  readonly path: string;
  readonly headings: readonly Heading<Key>[];
  readonly limits?: Partial<SpreadsheetLimits>;
};

export type TableRow<Key extends string> = {
  readonly row: number;
  readonly cells: { readonly [K in Key]?: CellValue };
};

export type TableOrder = Required<TableRequest<string>> & { readonly limits: SpreadsheetLimits };

export interface TableBatch {
  readonly keys: readonly string[];
  readonly rows: number[];
  readonly values: (readonly (CellValue | null)[])[];
}

// Shared strings and inflated chunks are outside the JavaScript heap and have limits of their own.
const MAX_HEAP_MB = 256;
const WORKER_FILE = new URL("./table-worker.ts", import.meta.url);

/**
 * Reads the rows below the headings. The headings may be in any order in one of the first ten rows; other columns and
 * empty rows are skipped. A worker thread reads in limited memory, so that a large file delays no request. Leaving the
 * loop early ends the worker. Any batch may throw a `SpreadsheetError`.
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
