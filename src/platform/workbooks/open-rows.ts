import { open } from "node:fs/promises";
import { isCompoundFile, readCompoundNames } from "#platform/files/compound-file.ts";
import { openArchive } from "./archive.ts";
import type { Archive } from "./archive.ts";
import { readByteOrderMark, readCsvRows } from "./csv-rows.ts";
import type { SpreadsheetLimits } from "./limits.ts";
import { readSharedStrings } from "./shared-strings.ts";
import { readSheetRows } from "./sheet-rows.ts";
import type { ColumnChoice, SheetRow } from "./sheet-rows.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";
import { readWorkbookMap } from "./workbook-map.ts";
import type { SheetEntry } from "./workbook-map.ts";

/** A sheet's name, or its place from 0; left out, the first one that is visible. */
export type SheetChoice = string | number | undefined;

/**
 * The rows of one sheet of an .xlsx workbook, or of a CSV file, in batches. Which it is, the content
 * says, never the name.
 * Errors: `SpreadsheetError`.
 */
export async function* openRows(
  path: string,
  limits: SpreadsheetLimits,
  choice: ColumnChoice,
  sheet: SheetChoice,
): AsyncGenerator<SheetRow[]> {
  if ((await checkFileKind(path, limits)) === "csv") {
    yield* readCsvRows(path, limits, choice);
    return;
  }
  const archive = await openArchive(path, limits);
  try {
    yield* readWorkbookRows(archive, limits, choice, sheet);
  } finally {
    archive.close();
  }
}

async function* readWorkbookRows(
  archive: Archive,
  limits: SpreadsheetLimits,
  choice: ColumnChoice,
  sheet: SheetChoice,
): AsyncGenerator<SheetRow[]> {
  const map = await readWorkbookMap(archive);
  const entry = chooseSheet(map.sheets, sheet);
  const shared = map.sharedStringsPath;
  const sharedStrings = shared === undefined ? undefined : await readSharedStrings(archive.readEntry(shared), limits);
  const { dateStyles, startsIn1904 } = map;
  const context = { limits, choice, sharedStrings, dateStyles, startsIn1904 };
  yield* readSheetRows(archive.readEntry(entry.path), context);
}

function chooseSheet(sheets: readonly SheetEntry[], choice: SheetChoice): SheetEntry {
  const entry = findSheet(sheets, choice);
  if (entry !== undefined) return entry;
  throw new SpreadsheetError("format", "no-sheet", choice === undefined ? {} : { sheet: String(choice) });
}

function findSheet(sheets: readonly SheetEntry[], choice: SheetChoice): SheetEntry | undefined {
  if (typeof choice === "number") return sheets[choice];
  if (typeof choice === "string") return sheets.find((sheet) => sheet.name.trim() === choice.trim());
  return sheets.find((sheet) => sheet.isVisible) ?? sheets[0];
}

/** What the content says the file is. Errors: `SpreadsheetError` for anything that is neither. */
export async function checkFileKind(path: string, limits: SpreadsheetLimits): Promise<"xlsx" | "csv"> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size === 0) throw new SpreadsheetError("format", "empty");
    if (size > limits.maxFileBytes)
      throw new SpreadsheetError("too-large", "file-bytes", { limit: limits.maxFileBytes });
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
    const head = buffer.subarray(0, bytesRead);
    if (isCompoundFile(head)) throw explainCompoundFile(await readCompoundNames(file));
    if (head.subarray(0, 2).toString("latin1") === "PK" && head.includes(0)) return "xlsx";
    if (readByteOrderMark(head) !== undefined) return "csv";
    if (isMarkup(head)) throw new SpreadsheetError("format", "web-page");
    // Real text holds no NUL; an image or a PDF's body does within its first bytes.
    if (head.includes(0) || head.subarray(0, 5).toString("latin1") === "%PDF-") {
      throw new SpreadsheetError("format", "not-a-workbook");
    }
    return "csv";
  } finally {
    await file.close();
  }
}

// Many programs write such, and call it .xls.
const isMarkup = (head: Buffer): boolean =>
  /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|table|meta|\?xml)/i.test(head.toString("latin1"));

function explainCompoundFile(names: ReadonlySet<string>): SpreadsheetError {
  if (names.has("EncryptedPackage")) return new SpreadsheetError("format", "encrypted");
  const isOldWorkbook = names.has("Workbook") || names.has("Book");
  return new SpreadsheetError("format", isOldWorkbook ? "old-xls" : "not-a-workbook");
}
