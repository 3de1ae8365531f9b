import { open, stat } from "node:fs/promises";
import { type Archive, openArchive } from "./archive.ts";
import { openCsvSource } from "./csv-source.ts";
import type { SheetSource } from "./raw-row.ts";
import { readSharedStrings } from "./shared-strings.ts";
import { openSheetSource } from "./sheet-scan.ts";
import { readWorkbookMap } from "./workbook-map.ts";
import { isCompoundFile, readCompoundNames } from "#platform/files/compound-file.ts";
import { SpreadsheetError, type SpreadsheetLimits } from "./spreadsheet-error.ts";
import { readByteOrderMark } from "./text-encoding.ts";

/** A sheet of a file, which can be opened any number of times. */
export interface SheetFile {
  /** "" for CSV text. */
  readonly name: string;
  readonly isVisible: boolean;
  readonly packedBytes: number;
  open(): SheetSource;
}

export interface OpenWorkbook {
  readonly kind: "xlsx" | "csv";
  readonly bytes: number;
  /** In the workbook's order; CSV text is one sheet. */
  readonly sheets: readonly SheetFile[];
  readonly close: () => void;
}

/** Opens an .xlsx workbook or CSV text. Which it is, the content says, never the name. Errors: `SpreadsheetError`. */
export async function openWorkbook(path: string, limits: SpreadsheetLimits): Promise<OpenWorkbook> {
  const kind = await checkFileKind(path, limits);
  const { size: bytes } = await stat(path);
  if (kind === "csv") {
    const sheet = { name: "", isVisible: true, packedBytes: bytes, open: () => openCsvSource(path, bytes, limits) };
    return { kind, bytes, sheets: [sheet], close: () => undefined };
  }
  const archive = await openArchive(path, limits);
  try {
    return { kind, bytes, sheets: await listSheets(archive, limits), close: () => archive.close() };
  } catch (error) {
    archive.close();
    throw error;
  }
}

async function listSheets(archive: Archive, limits: SpreadsheetLimits): Promise<SheetFile[]> {
  const map = await readWorkbookMap(archive);
  const shared = map.sharedStringsPath;
  const sharedStrings = shared === undefined ? undefined : await readSharedStrings(archive.readEntry(shared), limits);
  const context = { archive, map, sharedStrings, limits };
  return map.sheets.map(({ name, path, isVisible }) => ({
    name,
    isVisible,
    packedBytes: archive.entries.get(path)?.compressedSize ?? 0,
    open: () => openSheetSource(path, context),
  }));
}

/** What the content says the file is. Errors: `SpreadsheetError` for anything that is neither. */
async function checkFileKind(path: string, limits: SpreadsheetLimits): Promise<"xlsx" | "csv"> {
  await using file = await open(path);
  const { size } = await file.stat();
  if (size === 0) throw new SpreadsheetError("empty");
  if (size > limits.maxFileBytes) throw new SpreadsheetError("file-bytes", { limit: limits.maxFileBytes });
  const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
  const head = buffer.subarray(0, bytesRead);
  if (isCompoundFile(head)) throw explainCompoundFile(await readCompoundNames(file));
  if (head.subarray(0, 2).toString("latin1") === "PK" && head.includes(0)) return "xlsx";
  if (readByteOrderMark(head) !== undefined) return "csv";
  if (isMarkup(head)) throw new SpreadsheetError("web-page");
  // Real text holds no NUL; an image or a PDF's body does within its first bytes.
  if (head.includes(0) || head.subarray(0, 5).toString("latin1") === "%PDF-")
    throw new SpreadsheetError("not-a-workbook");
  return "csv";
}

// Many programs write such, and call it .xls.
const isMarkup = (head: Buffer): boolean =>
  /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|table|meta|\?xml)/i.test(head.toString("latin1"));

function explainCompoundFile(names: ReadonlySet<string>): SpreadsheetError {
  if (names.has("EncryptedPackage")) return new SpreadsheetError("encrypted");
  const isOldWorkbook = names.has("Workbook") || names.has("Book");
  return new SpreadsheetError(isOldWorkbook ? "old-xls" : "not-a-workbook");
}
