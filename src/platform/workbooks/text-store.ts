import { SpreadsheetError } from "./spreadsheet-error.ts";

/** Numbered texts, kept outside the JavaScript heap. */
export type TextStore = {
  add(text: string): void;
  /** Undefined for a text that is not there, and for one that is longer than asked for. */
  get(index: number, mostChars?: number): string | undefined;
};

const BLOCK_BYTES = 1024 * 1024;
const BYTES_PER_TEXT = 12;

/**
 * Keeps a workbook's shared strings in blocks of UTF-16 bytes. As JavaScript strings, a few million
 * would take some hundred bytes each, and each slice of the XML would keep its whole chunk alive.
 * Errors: `SpreadsheetError` "shared-text" beyond `maxBytes`.
 */
export function openTextStore(maxBytes: number): TextStore {
  const blocks: Buffer[] = [];
  let [starts, ends] = [new Float64Array(1024), new Float64Array(1024)];
  let count = 0;
  let used = 0;
  return {
    add(text) {
      const size = text.length * 2;
      used = reserve(blocks, used, size);
      if (used + size + count * BYTES_PER_TEXT > maxBytes) {
        throw new SpreadsheetError("limit", "shared-text", { limit: maxBytes });
      }
      if (count === starts.length) [starts, ends] = [doubled(starts), doubled(ends)];
      blocks[Math.floor(used / BLOCK_BYTES)]?.write(text, used % BLOCK_BYTES, "utf16le");
      starts[count] = used;
      used += size;
      ends[count] = used;
      count += 1;
    },
    get(index, mostChars = Infinity) {
      if (!Number.isInteger(index) || index < 0 || index >= count) return undefined;
      const start = starts[index] ?? 0;
      if ((ends[index] ?? 0) - start > mostChars * 2) return undefined;
      const block = blocks[Math.floor(start / BLOCK_BYTES)];
      return block?.toString("utf16le", start % BLOCK_BYTES, (start % BLOCK_BYTES) + (ends[index] ?? 0) - start);
    },
  };
}

// A text never crosses from one block into the next: a cell's 32,767 characters fit many times over.
function reserve(blocks: Buffer[], used: number, size: number): number {
  const room = blocks.length * BLOCK_BYTES - used;
  if (size <= room && room > 0) return used;
  blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
  return (blocks.length - 1) * BLOCK_BYTES;
}

function doubled(numbers: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}
