import type * as z from "zod";
import { compileReader } from "#platform/contract/input.ts";
import type { Bilingual, Language } from "#platform/contract/language.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import type { Arrival } from "#platform/files/arrivals.ts";
import type { Settings } from "#platform/process/config.ts";
import { toWorkbookLimits } from "#platform/workbooks/configured-limits.ts";
import { FaultyRows, mostFaults, type RowFault, toImportProblem } from "#platform/workbooks/import-problems.ts";
import { type CellValue, type Heading, readTableInBatches, type TableRow } from "#platform/workbooks/index.ts";
import { openSpool, type Spool } from "#platform/workbooks/spool.ts";

// Workbooks whose rows become records: the columns are data, and cells are held to the schemas of the contract.

/** A column: its heading, and the schema of a record's field, which a cell is read as. */
export interface ImportColumn {
  readonly heading: string;
  readonly schema: z.ZodType;
  readonly type?: "text" | "number";
}

export type ImportColumns = Readonly<Record<string, ImportColumn>>;

/** A row that can be taken, with the sheet's own row number. */
export interface ImportedRow<C extends ImportColumns> {
  readonly row: number;
  readonly values: { readonly [K in keyof C]: z.output<C[K]["schema"]> };
}

export interface ImportRequest<C extends ImportColumns> {
  readonly path: string;
  readonly columns: C;
  readonly settings: Settings;
  readonly language: Language;
  /** Begins a file for the rows that are read and not stored yet. */
  readonly begin: () => Promise<Arrival>;
}

/** The rows of a file that has been read. */
export interface ReadRows<C extends ImportColumns> {
  /**
   * Hands the rows to `store`, a batch at a time, in the transaction that a fault undoes. It returns rows that cannot be
   * stored, and this how many were.
   * @throws {Problem} importFailed with up to 100 faults of rows in `data.errors`.
   */
  storeAll(tx: Db, store: (rows: readonly ImportedRow<C>[]) => Promise<readonly RowFault[]>): Promise<number>;
}

/** The headings for the import's reader and its template. */
export const toHeadings = <C extends ImportColumns>(columns: C): Heading<keyof C & string>[] =>
  Object.entries(columns).map(([key, { heading, schema, type = "text" }]) => ({
    key: key as keyof C & string,
    texts: [heading],
    required: schema._zod.optin === undefined,
    type,
  }));

/**
 * Reads a workbook or CSV file in bounded memory, then has `work` store it. A reader may take minutes, in which nobody
 * should wait for a lock or do without a connection: so the rows wait on the disk, and the transaction begins with the
 * last of them.
 * @throws {Problem} importFailed without any row; badFile, fileTooLarge.
 */
export async function withImportedRows<C extends ImportColumns, T>(
  request: ImportRequest<C>,
  work: (rows: ReadRows<C>) => Promise<T>,
): Promise<T> {
  const spool = await openSpool(await request.begin());
  try {
    const faults = await spoolRows(request, spool);
    return await work({ storeAll: (_tx, store) => storeSpooled(spool, faults, request.language, store) });
  } finally {
    await spool.remove();
  }
}

/** Keeps the good rows and returns what is wrong with the others. */
async function spoolRows<C extends ImportColumns>(request: ImportRequest<C>, spool: Spool): Promise<RowFault[]> {
  const faults: RowFault[] = [];
  const readRow = compileRow(request.columns, faults);
  let rows = 0;
  for await (const batch of readBatches(request)) {
    rows += batch.length;
    const good = batch.map(readRow).filter((row) => row !== undefined);
    if (good.length > 0) await spool.add(JSON.stringify(good));
    if (faults.length >= mostFaults) break;
  }
  if (rows === 0) throw explain("importFailed", "没有数据行", "there are no rows");
  return faults;
}

async function storeSpooled<C extends ImportColumns>(
  spool: Spool,
  ofReading: readonly RowFault[],
  language: Language,
  store: (rows: readonly ImportedRow<C>[]) => Promise<readonly RowFault[]>,
): Promise<number> {
  const faults = [...ofReading];
  let count = 0;
  for await (const batch of spool.read()) {
    if (faults.length >= mostFaults) break;
    const rows = JSON.parse(batch) as ImportedRow<C>[];
    count += rows.length;
    faults.push(...(await store(rows)));
  }
  if (faults.length > 0) throw toImportProblem(new FaultyRows(faults.slice(0, mostFaults)), language);
  return count;
}

async function* readBatches<C extends ImportColumns>({ path, columns, settings, language }: ImportRequest<C>) {
  try {
    yield* readTableInBatches({ path, headings: toHeadings(columns), limits: toWorkbookLimits(settings) });
  } catch (error) {
    throw toImportProblem(error, language);
  }
}

const isMissing: Bilingual = { zh: "不能为空", en: "must not be empty" };

/** A reader of one row, which notes what is wrong with it. */
function compileRow<C extends ImportColumns>(columns: C, faults: RowFault[]) {
  const cells = Object.entries(columns).map(([key, { heading, schema }]) => {
    const isOptional = schema._zod.optin !== undefined;
    const read = compileReader(schema, { source: "text" });
    return { key, heading, isOptional, read };
  });
  return ({ row, cells: found }: TableRow<keyof C & string>): ImportedRow<C> | undefined => {
    const values: Record<string, unknown> = {};
    const before = faults.length;
    for (const { key, heading, isOptional, read } of cells) {
      const text = toText(found[key]);
      if (text !== "") values[key] = readCell(read, text, (says) => faults.push({ row, field: heading, ...says }));
      else if (!isOptional) faults.push({ row, field: heading, ...isMissing });
    }
    return faults.length === before ? { row, values: values as ImportedRow<C>["values"] } : undefined;
  };
}

function readCell(read: (text: string) => unknown, text: string, complain: (says: Bilingual) => void): unknown {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof Problem) || !error.extras.detail) throw error;
    return complain(error.extras.detail);
  }
}

/** A cell as the text that a form would send; of a date with a time the day, since no import asks for more. */
function toText(value: CellValue | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "object") return String(value).trim();
  return "date" in value ? value.date.slice(0, 10) : value.error;
}
