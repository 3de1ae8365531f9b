import { createReadStream } from "node:fs";
import { plainCells } from "./cell-reader.ts";
import type { SpreadsheetLimits } from "./limits.ts";
import { KIND } from "./raw-row.ts";
import type { RawRow, SheetSource } from "./raw-row.ts";
import { openRowSlots } from "./row-slots.ts";
import type { RowSlots } from "./row-slots.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";
import { decodeText, findEncoding } from "./text-encoding.ts";

const READ_BYTES = 64 * 1024;
const [QUOTE, LINE_FEED, RETURN] = [0x22, 0x0a, 0x0d] as const;

/** What separates fields: what stands most in the first line that has any of these; the first of equals. */
const SEPARATORS = [",", ";", "\t"] as const;
type Separator = (typeof SEPARATORS)[number];

/**
 * The rows of a CSV file (comma, semicolon or tab, quotes doubled inside quotes, any line end, line ends
 * inside quotes). Row numbers are those a spreadsheet program would show.
 */
export function openCsvSource(path: string, bytesTotal: number, limits: SpreadsheetLimits): SheetSource {
  const slots = openRowSlots(limits);
  return {
    ...plainCells,
    choose: slots.choose,
    isHidden: () => false,
    async *run(onRow) {
      const encoding = await findEncoding(path);
      const file = createReadStream(path, { highWaterMark: READ_BYTES });
      let csv: Csv | undefined;
      for await (const text of decodeText(file, encoding)) {
        csv ??= openCsv({ limits, slots, onRow }, chooseSeparator(text));
        takeText(csv, text);
        yield file.bytesRead / bytesTotal;
      }
      if (csv !== undefined) endText(csv);
    },
  };
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

interface CsvPlan {
  readonly limits: SpreadsheetLimits;
  readonly slots: RowSlots;
  readonly onRow: (row: RawRow) => void;
}

/** CSV text as far as it is read; of it no more than a row is kept. */
interface Csv extends CsvPlan {
  readonly separator: number;
  /** Before a field, in a bare one, in a quoted one, or just after one of its quotes. */
  state: "start" | "bare" | "quoted" | "quote-seen";
  field: string;
  row: number;
  column: number;
  rowChars: number;
  /** Something stands in the row, if only a separator. */
  isBegun: boolean;
  /** A line feed that comes next belongs to the line end before it. */
  skipsLineFeed: boolean;
}

function openCsv(plan: CsvPlan, separator: Separator): Csv {
  plan.slots.clear(1);
  return {
    ...plan,
    separator: separator.charCodeAt(0),
    state: "start",
    field: "",
    row: 1,
    column: 0,
    rowChars: 0,
    isBegun: false,
    skipsLineFeed: false,
  };
}

function takeText(csv: Csv, text: string): void {
  if (text.includes("\0")) throw new SpreadsheetError("format", "not-a-workbook");
  if (text.includes("\ufffd")) throw new SpreadsheetError("format", "bad-encoding");
  for (let at = 0; at < text.length;) {
    if (csv.skipsLineFeed && text.charCodeAt(at) === LINE_FEED) at += 1;
    csv.skipsLineFeed = false;
    if (at < text.length) at = takePiece(csv, text, at);
  }
}

function endText(csv: Csv): void {
  if (csv.state === "quoted") throw new SpreadsheetError("format", "unclosed-quote", { row: csv.row });
  if (csv.isBegun) endRow(csv);
}

/** Takes what can be taken at once; returns the place behind it. */
function takePiece(csv: Csv, text: string, at: number): number {
  csv.isBegun = true;
  if (csv.state === "quoted") return takeQuoted(csv, text, at);
  const end = csv.state === "quote-seen" ? at : findFieldEnd(csv, text, at);
  if (end === at) {
    takeMark(csv, text.charCodeAt(at));
    return at + 1;
  }
  append(csv, text.slice(at, end));
  csv.state = "bare";
  return end;
}

function takeQuoted(csv: Csv, text: string, at: number): number {
  const quote = text.indexOf('"', at);
  append(csv, text.slice(at, quote === -1 ? undefined : quote));
  if (quote === -1) return text.length;
  csv.state = "quote-seen";
  return quote + 1;
}

/** Takes a quote, a separator or a line end; what else stands behind a quoted field belongs to it. */
function takeMark(csv: Csv, code: number): void {
  if (code === QUOTE) {
    if (csv.state === "quote-seen") append(csv, '"');
    csv.state = "quoted";
  } else if (code === csv.separator) endField(csv);
  else if (code === LINE_FEED || code === RETURN) {
    csv.skipsLineFeed = code === RETURN;
    endRow(csv);
  } else {
    append(csv, String.fromCharCode(code));
    csv.state = "bare";
  }
}

// A quote begins a quoted field only at its start; later it is an ordinary character.
function findFieldEnd({ state, separator }: Csv, text: string, at: number): number {
  if (state === "start" && text.charCodeAt(at) === QUOTE) return at;
  for (let end = at; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === separator || code === LINE_FEED || code === RETURN) return end;
  }
  return text.length;
}

function append(csv: Csv, text: string): void {
  const limit = csv.limits.maxCellChars;
  if (csv.field.length + text.length > limit)
    throw new SpreadsheetError("limit", "cell-text", { limit, row: csv.row, column: csv.column + 1 });
  csv.field += text;
}

function endField(csv: Csv): void {
  const { limits, slots, field, row, column } = csv;
  if (column >= limits.maxColumns) throw new SpreadsheetError("limit", "columns", { limit: limits.maxColumns, row });
  const slot = field === "" ? -1 : slots.find(column);
  if (slot >= 0) {
    csv.rowChars += field.length;
    if (csv.rowChars > limits.maxRowChars) throw new SpreadsheetError("limit", "row-text", { row });
    slots.keep(slot, field, KIND.plain);
  }
  csv.field = "";
  csv.column += 1;
  csv.state = "start";
}

function endRow(csv: Csv): void {
  endField(csv);
  const { limits, slots, row } = csv;
  if (row > limits.maxRows) throw new SpreadsheetError("limit", "rows", { limit: limits.maxRows });
  if (slots.hasCells()) csv.onRow(slots.row);
  [csv.row, csv.column, csv.rowChars, csv.isBegun] = [row + 1, 0, 0, false];
  slots.clear(csv.row);
}
