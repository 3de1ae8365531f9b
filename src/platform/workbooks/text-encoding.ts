import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { SpreadsheetError } from "./spreadsheet-error.ts";

type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "gb18030";

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export function readByteOrderMark(head: Buffer): "utf-16le" | "utf-16be" | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  return head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : undefined;
}

/**
 * Returns the encoding that the byte order mark names. Without a mark, the file is UTF-8 if it is valid UTF-8, and
 * otherwise GB18030.
 * @throws {SpreadsheetError} "bad-encoding"
 */
export async function findEncoding(path: string): Promise<Encoding> {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(3), 0, 3, 0);
  const marked = readByteOrderMark(buffer);
  if (marked !== undefined) return marked;
  try {
    for await (const _ of decodeText(createReadStream(path), "utf-8"));
    return "utf-8";
  } catch (error) {
    // A file that has the byte order mark of UTF-8 but is not valid UTF-8 is an error, not GB18030.
    if (!(error instanceof SpreadsheetError) || buffer.equals(UTF8_MARK)) throw error;
    return "gb18030";
  }
}

export async function* decodeText(bytes: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? new SpreadsheetError("bad-encoding") : error;
  }
}
