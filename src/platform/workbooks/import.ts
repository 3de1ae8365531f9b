import { open, type FileHandle } from "node:fs/promises";
import type { Language } from "#platform/contract/language.ts";
import { copyIn, type CopyValue, type Db, toCopyLine } from "#platform/database/index.ts";
import type { TemporaryFile } from "#platform/files/temporary-files.ts";
import type { Heading } from "./headings.ts";
import { maxFaults, runImportHook, type RowFault, toImportProblem } from "./import-problems.ts";
import { readTable, type TableRow } from "./read-table.ts";
import type { SpreadsheetLimits } from "./spreadsheet-error.ts";

export interface TableImport<Key extends string> {
  readonly path: string;
  readonly headings: readonly Heading<Key>[];
  readonly limits: Partial<SpreadsheetLimits>;
  readonly language: Language;
  readonly begin: () => Promise<TemporaryFile>;
  /** Returns the row's values; if the row is invalid, adds to `faults` and returns undefined. */
  readonly readRow: (row: TableRow<Key>, faults: RowFault[]) => readonly CopyValue[] | undefined;
}

export interface ReadRows {
  readonly count: number;
  readonly faults: readonly RowFault[];
  /**
   * Copies the rows into the temporary table `staged`, which has the row number and the given columns of `table`.
   * @param columns the table's column names, in the order of `readRow`
   */
  stage(tx: Db, table: string, columns: string): Promise<void>;
}

/**
 * Reads a file in limited memory, and calls `store` to import all its rows atomically. The rows are first spooled to
 * disk, because reading may take minutes, during which no transaction or connection should be in use.
 * @throws {Problem} importFailed if `store` throws `FaultyRows`; badFile or fileTooLarge for an unreadable file;
 * notAllowedNow if there is no space for the rows
 */
export async function importTable<Key extends string, T>(
  plan: TableImport<Key>,
  store: (rows: ReadRows) => Promise<T>,
): Promise<T> {
  const arrival = await plan.begin();
  const spool = await open(arrival.path, "wx+", 0o600);
  try {
    return await store(await readRows(plan, spool, arrival));
  } catch (error) {
    throw toImportProblem(error, plan.language);
  } finally {
    await spool.close();
    await arrival.end();
  }
}

async function readRows<Key extends string>(
  { path, headings, limits, readRow }: TableImport<Key>,
  spool: FileHandle,
  arrival: TemporaryFile,
): Promise<ReadRows> {
  const faults: RowFault[] = [];
  let count = 0;
  for await (const batch of readTable({ path, headings, limits })) {
    const lines = batch.map((row) => {
      const values = readRow(row, faults);
      return values === undefined ? "" : toCopyLine([row.row, ...values]);
    });
    const bytes = Buffer.from(lines.join(""));
    arrival.reserve(bytes.length);
    await spool.appendFile(bytes);
    count += batch.length;
    await runImportHook();
    if (faults.length >= maxFaults) break;
  }
  return {
    count,
    faults,
    async stage(tx, table, columns) {
      await tx.script(`
        create temporary table staged on commit drop as select 0 as row, ${columns} from ${table} limit 0`);
      await copyIn(tx, `staged (row, ${columns})`, spool.createReadStream({ start: 0, autoClose: false }));
    },
  };
}
