import { toStorable } from "#platform/contract/storable-text.ts";
import type { SpreadsheetLimits } from "./limits.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";
import { openTextStore } from "./text-store.ts";
import type { TextStore } from "./text-store.ts";
import { scanXml } from "./xml-scan.ts";

const ESCAPED = /_x([0-9A-Fa-f]{4})_/g;

/** Reads xl/sharedStrings.xml; phonetic runs (`rPh`) are left out. */
export async function readSharedStrings(bytes: AsyncIterable<Buffer>, limits: SpreadsheetLimits): Promise<TextStore> {
  const store = openTextStore(limits.maxSharedBytes);
  let text = "";
  let isText = false;
  let phoneticDepth = 0;
  await scanXml(bytes, {
    open(name) {
      if (name === "si") text = "";
      else if (name === "rPh") phoneticDepth += 1;
      else if (name === "t") isText = phoneticDepth === 0;
    },
    close(name) {
      if (name === "si") store.add(boundText(unescapeText(text), limits.maxCellChars));
      else if (name === "rPh") phoneticDepth -= 1;
      else if (name === "t") isText = false;
    },
    text(piece) {
      if (!isText) return;
      text = joinText(text, piece, limits.maxCellChars);
    },
  });
  return store;
}

/** Adds a piece to a cell's text. Errors: `SpreadsheetError` "cell-text". */
export function joinText(text: string, piece: string, maxChars: number): string {
  // An escape such as _x000D_ counts seven characters here and one in the cell.
  if (text.length + piece.length > maxChars * 7) throw new SpreadsheetError("limit", "cell-text", { limit: maxChars });
  return text + piece;
}

/** Resolves `_xHHHH_`, the escape of spreadsheet programs for characters that XML cannot hold. */
export function unescapeText(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * A cell's text as it is handed on: without NUL and halves of surrogate pairs, which references and escapes can name and
 * no database can keep. Errors: `SpreadsheetError` "cell-text".
 */
export function boundText(text: string, maxChars: number, row?: number): string {
  if (text.length <= maxChars) return toStorable(text);
  throw new SpreadsheetError("limit", "cell-text", {
    limit: maxChars,
    ...(row === undefined ? {} : { row }),
  });
}
