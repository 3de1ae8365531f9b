import type { Pool } from "#platform/database.ts";
import { FaultyRows, mostFaults, type RowFault } from "#platform/import-problems.ts";
import type { Bilingual } from "#platform/language.ts";
import type { SpreadsheetLimits } from "#platform/spreadsheet/index.ts";
import type { ImportSheet } from "./contract.ts";
import { openRowSink, type RowSink, toIdentityLine, toMonthLine } from "./copy.ts";
import { readWorkbook, type SheetKind, type WorkbookPart } from "./workbook/index.ts";

/** Which sheets an import takes; the first must be there. */
const wanted: Readonly<Record<ImportSheet, readonly [SheetKind, ...SheetKind[]]>> = {
  month: ["month", "daily"],
  original: ["original"],
  work: ["identity"],
};

export interface CopyOrder {
  readonly importId: number;
  readonly sheet: ImportSheet;
  readonly path: string;
  readonly month: string | undefined;
  readonly limits: Partial<SpreadsheetLimits>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: { bytesRead: number; rows: number }) => void;
  /** Is told the month as soon as it is known, when that is before the first row. */
  readonly onMonth: (month: string) => Promise<void>;
}

export interface Copied {
  /** null where neither title nor rows say it. */
  month: string | null;
  rows: number;
  skipped: number;
  /** Rows of the month sheet. */
  employees: number;
  readonly warnings: Bilingual[];
  readonly faults: RowFault[];
}

/**
 * Reads the workbook and copies its rows in under the import's number, as fast as both the reader and the database can.
 * @param connection reserved; nothing else may run on it meanwhile.
 * @throws {FaultyRows} with up to 100 of them, SpreadsheetError for a fault of the file, the reason of the signal. What was copied counts for nothing then.
 */
export async function copyWorkbook(connection: Pool, order: CopyOrder): Promise<Copied> {
  const { sheet, path, month, limits, signal, onProgress, importId } = order;
  const copied: Copied = { month: null, rows: 0, skipped: 0, employees: 0, warnings: [], faults: [] };
  const sink = await openRowSink(connection, importId);
  try {
    const parts = readWorkbook({
      path,
      sheets: wanted[sheet],
      needed: [wanted[sheet][0]],
      ...(month === undefined ? {} : { month }),
      limits,
      signal,
      onProgress,
    });
    for await (const part of parts) {
      await take(part, copied, sink, order);
      if (copied.faults.length >= mostFaults) break;
    }
    if (copied.faults.length > 0) throw new FaultyRows(copied.faults);
    await sink.finish();
    return copied;
  } catch (error) {
    sink.abandon();
    throw error;
  }
}

async function take(
  part: WorkbookPart,
  copied: Copied,
  sink: RowSink,
  { importId, onMonth }: CopyOrder,
): Promise<void> {
  if (part.kind === "warning") copied.warnings.push(part.message);
  if (part.kind === "bad-row") copied.faults.push({ row: part.row, field: part.field, ...part.message });
  if (part.kind === "skipped") copied.skipped += part.count;
  const isMonthNews =
    (part.kind === "sheet" || part.kind === "skipped") && part.month !== null && copied.month === null;
  if (isMonthNews) {
    copied.month = part.month;
    if (part.kind === "sheet" && part.isRead && part.month !== null) await onMonth(part.month);
  }
  // After a bad row the rest is read for its faults only.
  if (copied.faults.length === 0 && (part.kind === "rows" || part.kind === "copy"))
    await write(part, copied, sink, importId);
}

type RowsPart = Extract<WorkbookPart, { kind: "rows" | "copy" }>;

async function write(part: RowsPart, copied: Copied, sink: RowSink, importId: number): Promise<void> {
  if (part.kind === "copy") {
    copied.rows += part.count;
    return sink.write(part.sheet, part.text);
  }
  copied.rows += part.rows.length;
  if (part.sheet === "identity")
    return sink.write("identity", part.rows.map((row) => toIdentityLine(importId, row)).join(""));
  copied.employees += part.rows.length;
  return sink.write("month", part.rows.map((row) => toMonthLine(importId, row)).join(""));
}
