import { open } from "node:fs/promises";
import { isCompoundFile, readCompoundNames } from "#platform/files/compound-file.ts";
import type { SpreadsheetLimits } from "./limits.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";
import { readByteOrderMark } from "./text-encoding.ts";

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
