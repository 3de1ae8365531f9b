import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { openDecoder } from "#platform/files/text-decoder.ts";
import type { Encoding } from "#platform/files/text-decoder.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";

const READ_BYTES = 64 * 1024;
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The encoding that the first bytes of a text say, where it is UTF-16. */
export function readByteOrderMark(head: Buffer): "utf-16le" | "utf-16be" | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  return head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : undefined;
}

/**
 * UTF-16 with a byte order mark, UTF-8 with or without one, or else GB18030: what is no valid UTF-8 anywhere in the file.
 * Errors: `SpreadsheetError` "bad-encoding".
 */
export async function findEncoding(path: string): Promise<Encoding> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(3), 0, 3, 0);
    const marked = readByteOrderMark(buffer);
    if (marked !== undefined) return marked;
    if (await isUtf8File(file)) return "utf-8";
    // A mark that says UTF-8 before bytes that are not: do not guess.
    if (buffer.equals(UTF8_MARK)) throw new SpreadsheetError("bad-encoding");
    return "gb18030";
  } finally {
    await file.close();
  }
}

async function isUtf8File(file: FileHandle): Promise<boolean> {
  const decoder = openDecoder("utf-8");
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, READ_BYTES, position);
    try {
      if (bytesRead > 0) decoder.write(buffer.subarray(0, bytesRead));
      else decoder.end();
    } catch {
      return false;
    }
    if (bytesRead === 0) return true;
    position += bytesRead;
  }
}

/** Errors: `SpreadsheetError` "bad-encoding". */
export async function* decodeText(bytes: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<string> {
  const decoder = openDecoder(encoding);
  for await (const chunk of bytes) yield orRefuse(() => decoder.write(chunk));
  yield orRefuse(() => decoder.end());
}

// Half a character, or half of a pair.
function orRefuse(decode: () => string): string {
  try {
    return decode();
  } catch (error) {
    throw error instanceof TypeError ? new SpreadsheetError("bad-encoding") : error;
  }
}
