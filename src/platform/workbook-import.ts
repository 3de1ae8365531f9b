import type * as z from "zod";
import type { Settings } from "#platform/config.ts";
import { FaultyRows, mostFaults, type RowFault, toImportProblem } from "#platform/import-problems.ts";
import { compileReader } from "#platform/input.ts";
import type { Bilingual, Language } from "#platform/language.ts";
import { explain, Problem } from "#platform/problem.ts";
import { type CellValue, type Heading, readTableInBatches, type TableRow } from "#platform/spreadsheet/index.ts";
import { toWorkbookLimits } from "#platform/workbook-limits.ts";

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
  /** Stores a batch of rows; returns those that cannot be. */
  readonly store: (rows: readonly ImportedRow<C>[]) => Promise<readonly RowFault[]>;
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
 * Hands the rows of a workbook or CSV file to `store`, a batch at a time, in bounded memory; to be called in the
 * transaction of the rows, which a fault undoes.
 * @throws {Problem} importFailed with up to 100 faults of rows in `data.errors`, or without any row; badFile, fileTooLarge.
 */
export async function importRows<C extends ImportColumns>(request: ImportRequest<C>): Promise<void> {
  const faults: RowFault[] = [];
  const readRow = compileRow(request.columns, faults);
  let rows = 0;
  for await (const batch of readBatches(request)) {
    rows += batch.length;
    const good = batch.map(readRow).filter((row) => row !== undefined);
    if (good.length > 0) faults.push(...(await request.store(good)));
    if (faults.length >= mostFaults) break;
  }
  if (faults.length > 0) throw toImportProblem(new FaultyRows(faults.slice(0, mostFaults)), request.language);
  if (rows === 0) throw explain("importFailed", "没有数据行", "there are no rows");
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
