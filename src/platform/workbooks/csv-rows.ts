import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import iconv from "iconv-lite";
import type { SpreadsheetLimits } from "./limits.ts";
import type { CellValue, ColumnChoice, SheetRow } from "./sheet-rows.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";

const READ_BYTES = 64 * 1024;
const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** What separates fields: what stands most in the first line that has any of these; the first of equals. */
const SEPARATORS = [",", ";", "\t"] as const;
type Separator = (typeof SEPARATORS)[number];

/** The encoding that the first bytes of a text say, where it is UTF-16. */
export function readByteOrderMark(head: Buffer): "utf-16le" | "utf-16be" | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  return head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : undefined;
}

/**
 * Reads the rows of a CSV file (comma, semicolon or tab, quotes doubled inside quotes, any line end, line
 * ends inside quotes), in batches, without the empty ones. Row numbers are those a spreadsheet program
 * would show. The text is UTF-8, with or without a byte order mark, UTF-16 with one, or else GB18030: what
 * is no valid UTF-8 anywhere in the file is taken for GB18030.
 * @param onRead is told how many bytes have been read, before the rows in them come.
 */
export async function* readCsvRows(
  path: string,
  limits: SpreadsheetLimits,
  choice: ColumnChoice,
  onRead: (bytes: number) => void = () => undefined,
): AsyncGenerator<SheetRow[]> {
  const decode = decoders[await findEncoding(path)];
  const file = createReadStream(path, { highWaterMark: READ_BYTES });
  let parser: CsvParser | undefined;
  for await (const text of decode(file)) {
    onRead(file.bytesRead);
    parser ??= openCsvParser(limits, choice, chooseSeparator(text));
    const rows = parser.push(text);
    if (rows.length > 0) yield rows;
  }
  const rows = parser?.end() ?? [];
  if (rows.length > 0) yield rows;
}

// Lines inside quotes are no lines: what stands there is a text.
function chooseSeparator(text: string): Separator {
  const counts = new Map<string, number>(SEPARATORS.map((separator) => [separator, 0]));
  let isQuoted = false;
  for (const character of text) {
    const count = counts.get(character);
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (count !== undefined) counts.set(character, count + 1);
    else if (character === "\n" && Math.max(...counts.values()) > 0) break;
  }
  const most = Math.max(...counts.values());
  return SEPARATORS.find((separator) => counts.get(separator) === most) ?? ",";
}

type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "gb18030";

async function findEncoding(path: string): Promise<Encoding> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return readByteOrderMark(buffer) ?? ((await isUtf8File(path)) ? "utf-8" : "gb18030");
  } finally {
    await file.close();
  }
}

async function isUtf8File(path: string): Promise<boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES, null);
      decoder.decode(buffer.subarray(0, bytesRead), { stream: bytesRead > 0 });
      if (bytesRead === 0) return true;
    }
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  } finally {
    await file.close();
  }
}

const decoders: Readonly<Record<Encoding, (bytes: AsyncIterable<Buffer>) => AsyncGenerator<string>>> = {
  "utf-8": (bytes) => decodeAsUnicode(bytes, "utf-8"),
  "utf-16le": (bytes) => decodeAsUnicode(bytes, "utf-16le"),
  "utf-16be": (bytes) => decodeAsUnicode(bytes, "utf-16be"),
  gb18030: decodeAsGb18030,
};

async function* decodeAsUnicode(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    // Half a character, or half of a pair; UTF-8 has been looked through before.
    throw error instanceof TypeError ? new SpreadsheetError("format", "bad-encoding") : error;
  }
}

async function* decodeAsGb18030(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = iconv.getDecoder("gb18030");
  for await (const chunk of bytes) {
    // A mark that says UTF-8 before bytes that are not: do not guess.
    if (chunk.subarray(0, 3).equals(UTF8_BOM)) throw new SpreadsheetError("format", "bad-encoding");
    yield decoder.write(chunk);
  }
  yield decoder.end() ?? "";
}

export type CsvParser = { push(text: string): SheetRow[]; end(): SheetRow[] };

/** Where the parser stands: before a field, in a bare one, in a quoted one, or just after one of its quotes. */
type State = "start" | "bare" | "quoted" | "quote-seen";

/** A CSV parser that is fed in pieces and never keeps more than one row. */
export function openCsvParser(limits: SpreadsheetLimits, choice: ColumnChoice, separator: Separator): CsvParser {
  const separatorCode = separator.charCodeAt(0);
  let state: State = "start";
  let [field, row, column, rowChars] = ["", 1, 0, 0];
  let [rowHasText, skipLineFeed] = [false, false];
  let cells = new Map<number, CellValue>();
  let rows: SheetRow[] = [];

  const append = (text: string): void => {
    if (field.length + text.length > limits.maxCellChars) {
      throw new SpreadsheetError("limit", "cell-text", {
        limit: limits.maxCellChars,
        row,
        column: column + 1,
      });
    }
    field += text;
  };
  const endField = (): void => {
    if (column >= limits.maxColumns) throw new SpreadsheetError("limit", "columns", { limit: limits.maxColumns, row });
    if (field !== "" && (choice.columns?.has(column) ?? true)) {
      rowChars += field.length;
      if (rowChars > limits.maxRowChars) throw new SpreadsheetError("limit", "row-text", { row });
      cells.set(column, field);
    }
    field = "";
    column += 1;
    state = "start";
  };
  const endRow = (): void => {
    endField();
    if (row > limits.maxRows) throw new SpreadsheetError("limit", "rows", { limit: limits.maxRows });
    if (cells.size > 0) rows.push({ row, cells });
    [row, column, rowChars, cells, rowHasText] = [row + 1, 0, 0, new Map(), false];
  };
  const takeOne = (character: string): void => {
    if (character === '"' && state === "start") state = "quoted";
    else if (character === '"' && state === "quote-seen") {
      append('"');
      state = "quoted";
    } else if (character === separator) endField();
    else if (character === "\n" || character === "\r") {
      skipLineFeed = character === "\r";
      endRow();
    } else {
      append(character);
      state = "bare";
    }
  };
  const takePiece = (text: string, at: number): number => {
    if (state === "quoted") {
      const quote = text.indexOf('"', at);
      append(text.slice(at, quote === -1 ? text.length : quote));
      if (quote === -1) return text.length;
      state = "quote-seen";
      return quote + 1;
    }
    const end = state === "quote-seen" ? at : fieldEnd(text, at, state, separatorCode);
    if (end > at) {
      append(text.slice(at, end));
      state = "bare";
      return end;
    }
    takeOne(text.charAt(at));
    return at + 1;
  };

  return {
    push(text) {
      if (text.includes("\0")) throw new SpreadsheetError("format", "not-a-workbook");
      if (text.includes("\ufffd")) throw new SpreadsheetError("format", "bad-encoding");
      let at = skipLineFeed && text.startsWith("\n") ? 1 : 0;
      if (text !== "") skipLineFeed = false;
      while (at < text.length) {
        at = takePiece(text, at);
        rowHasText = true;
        if (skipLineFeed && at < text.length) {
          if (text.charCodeAt(at) === 0x0a) at += 1;
          skipLineFeed = false;
        }
      }
      return takeRows();
    },
    end() {
      if (state === "quoted") throw new SpreadsheetError("format", "unclosed-quote", { row });
      if (rowHasText) endRow();
      return takeRows();
    },
  };

  function takeRows(): SheetRow[] {
    const taken = rows;
    rows = [];
    return taken;
  }
}

// A quote begins a quoted field only at its start; later it is an ordinary character.
function fieldEnd(text: string, at: number, state: State, separatorCode: number): number {
  for (let end = at; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === separatorCode || code === 0x0a || code === 0x0d) return end;
    if (code === 0x22 && state === "start" && end === at) return end;
  }
  return text.length;
}
