import { toStorable } from "#platform/contract/storable-text.ts";
import { SpreadsheetError, type SpreadsheetLimits } from "./spreadsheet-error.ts";
import { resolveReferences, scanXml } from "./xml.ts";

const ESCAPED = /_x([0-9A-Fa-f]{4})_/g;

/** Reads the texts without their phonetic runs (`rPh`). */
export async function readSharedStrings(bytes: AsyncIterable<Buffer>, limits: SpreadsheetLimits): Promise<TextStore> {
  const { maxCellChars, maxSharedBytes } = limits;
  const store = openTextStore(maxSharedBytes);
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
      if (name === "si") store.add(boundText(unescapeText(text), maxCellChars));
      else if (name === "rPh") phoneticDepth -= 1;
      else if (name === "t") isText = false;
    },
    text(piece, isLiteral) {
      if (!isText) return;
      text += isLiteral ? piece : resolveReferences(piece);
      // The limit is seven times higher here, because an escape such as _x000D_ stands for one character.
      if (text.length > maxCellChars * 7) throw new SpreadsheetError("cell-text", { limit: maxCellChars });
    },
  });
  return store;
}

/** Spreadsheet programs write `_xHHHH_` for a character that XML cannot contain. */
export function unescapeText(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * Removes NUL and replaces lone surrogates, which references and escapes may produce but databases cannot store.
 * @throws {SpreadsheetError} "cell-text" if the text is too long
 */
export function boundText(text: string, maxChars: number, row?: number): string {
  if (text.length <= maxChars) return toStorable(text);
  throw new SpreadsheetError("cell-text", { limit: maxChars, ...(row !== undefined && { row }) });
}

const BLOCK_BYTES = 1024 * 1024;
const BYTES_PER_TEXT = 12;

/**
 * Stores texts in blocks of UTF-16 bytes. As JavaScript strings, a few million texts would take several hundred bytes
 * each, and slices would keep whole chunks of XML in memory.
 * @throws {SpreadsheetError} "shared-text" beyond `maxBytes`
 */
function openTextStore(maxBytes: number) {
  const blocks: Buffer[] = [];
  let [starts, ends] = [new Float64Array(1024), new Float64Array(1024)];
  let count = 0;
  let used = 0;
  return {
    add(text: string): void {
      const size = text.length * 2;
      const room = blocks.length * BLOCK_BYTES - used;
      // A text must fit into one block, which has space for many texts of the maximum 32,767 characters.
      if (size > room || room <= 0) used = (blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES)) - 1) * BLOCK_BYTES;
      if (used + size + count * BYTES_PER_TEXT > maxBytes) {
        throw new SpreadsheetError("shared-text", { limit: maxBytes });
      }
      if (count === starts.length) [starts, ends] = [doubled(starts), doubled(ends)];
      blocks[Math.floor(used / BLOCK_BYTES)]?.write(text, used % BLOCK_BYTES, "utf16le");
      starts[count] = used;
      used += size;
      ends[count] = used;
      count += 1;
    },
    get(index: number, mostChars = Infinity): string | undefined {
      if (!Number.isInteger(index) || index < 0 || index >= count) return undefined;
      const start = starts[index] ?? 0;
      if ((ends[index] ?? 0) - start > mostChars * 2) return undefined;
      const block = blocks[Math.floor(start / BLOCK_BYTES)];
      return block?.toString("utf16le", start % BLOCK_BYTES, (start % BLOCK_BYTES) + (ends[index] ?? 0) - start);
    },
  };
}

export type TextStore = ReturnType<typeof openTextStore>;

function doubled(numbers: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}
