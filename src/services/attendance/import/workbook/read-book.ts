import { stat } from "node:fs/promises";
import { openArchive } from "#platform/workbooks/archive.ts";
import type { Archive } from "#platform/workbooks/archive.ts";
import { checkFileKind } from "#platform/workbooks/open-rows.ts";
import { readSharedStrings } from "#platform/workbooks/shared-strings.ts";
import { readWorkbookMap } from "#platform/workbooks/workbook-map.ts";
import { findSheets } from "./find-sheets.ts";
import type { SheetFile } from "./find-sheets.ts";
import type { ReadOrder, ReadProgress, SheetKind, WorkbookPart } from "./parts.ts";
import { readSheet } from "./read-sheet.ts";
import { openCsvSource, openSheetSource } from "./sheet-source.ts";

/** What is handed on at a time: parts in order, and how far the reading is. */
export interface ReadStep {
  readonly parts: readonly WorkbookPart[];
  readonly progress: ReadProgress;
}

const MAX_SHEETS = 64;
// Three times what spreadsheet programs allow; it is repeated in what people are told.
const MAX_NAME_CHARS = 93;
const READING_ORDER: readonly SheetKind[] = ["month", "daily", "original", "identity"];

/** Reads the sheets of the order. Errors: `SpreadsheetError`. */
export async function* readBook(order: ReadOrder): AsyncGenerator<ReadStep> {
  const bytesTotal = (await stat(order.path)).size;
  if ((await checkFileKind(order.path, order.limits)) === "csv") {
    const file: SheetFile = {
      name: "",
      packedBytes: bytesTotal,
      open: () => openCsvSource(order.path, bytesTotal, order.limits),
    };
    yield* readSheets([file], order, bytesTotal);
    return;
  }
  const archive = await openArchive(order.path, order.limits);
  try {
    yield* readSheets(await listSheetFiles(archive, order), order, bytesTotal);
  } finally {
    archive.close();
  }
}

async function listSheetFiles(archive: Archive, { limits }: ReadOrder): Promise<SheetFile[]> {
  const map = await readWorkbookMap(archive);
  const shared = map.sharedStringsPath;
  const sharedStrings = shared === undefined ? undefined : await readSharedStrings(archive.readEntry(shared), limits);
  const context = { archive, map, sharedStrings, limits };
  return map.sheets.slice(0, MAX_SHEETS).map(({ name, path }) => ({
    name: name.slice(0, MAX_NAME_CHARS),
    packedBytes: archive.entries.find((entry) => entry.name === path)?.packedBytes ?? 0,
    open: () => openSheetSource(path, context),
  }));
}

async function* readSheets(
  files: readonly SheetFile[],
  order: ReadOrder,
  bytesTotal: number,
): AsyncGenerator<ReadStep> {
  const { found, others, month } = await findSheets(files, order);
  let rows = 0;
  let bytesRead = Math.max(0, bytesTotal - found.reduce((sum, sheet) => sum + sheet.file.packedBytes, 0));
  const progress = (sheet: SheetKind | null): ReadProgress => ({
    bytesRead: Math.round(bytesRead),
    bytesTotal,
    rows,
    sheet,
  });
  const notRead = others.map((part): WorkbookPart => ({
    kind: "sheet",
    month: null,
    isRead: false,
    units: {},
    ...part,
  }));
  yield { parts: notRead, progress: progress(null) };
  for (const kind of READING_ORDER) {
    const sheet = found.find((candidate) => candidate.kind === kind);
    if (sheet === undefined) continue;
    const start = bytesRead;
    for await (const step of readSheet(sheet, month, order)) {
      rows += step.rows;
      bytesRead = start + sheet.file.packedBytes * step.fraction;
      yield { parts: step.parts, progress: progress(kind) };
    }
    bytesRead = start + sheet.file.packedBytes;
  }
  bytesRead = bytesTotal;
  yield { parts: [], progress: progress(null) };
}
