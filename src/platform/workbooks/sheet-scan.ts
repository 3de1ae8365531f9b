import type { Archive } from "./archive.ts";
import { openCellReader } from "./cell-reader.ts";
import { openCellScanner } from "./cell-scan.ts";
import { type MergedRows, openRowSlots, type RawRow, type RowSlots, type SheetSource } from "./raw-row.ts";
import type { TextStore } from "./shared-strings.ts";
import { columnLetters } from "./sheet-xml.ts";
import { SpreadsheetError, type SpreadsheetLimits } from "./spreadsheet-error.ts";
import { readByteOrderMark } from "./text-encoding.ts";
import {
  findTagEnd,
  INCOMPLETE,
  isCellName,
  LESS,
  MAX_TAG_CHARS,
  readName,
  skipMarkup,
  skipPast,
  skipPrefix,
  SLASH,
} from "./xml.ts";

// An incomplete row is scanned again only after the buffer has grown by this factor, so that the total cost of a long
// row stays linear.
const RETRY_GROWTH = 1.5;

/**
 * Opens a scanner that takes a third of the time of a general XML parser: it works on bytes, extracts only the chosen
 * cells, and has fast code for the usual encoding of cells. Namespace prefixes, rich text, CDATA and comments are
 * handled by general code with the same result. Initially all columns are chosen. A row is scanned when it is complete;
 * an incomplete row is refused if it exceeds four times `maxRowChars`. Cells must be in the order of their columns;
 * cells after the last chosen column are skipped. `<dimension>` is ignored, since it may be wrong.
 * @param dateStyles for each value of a cell's `s` attribute, whether its format displays a date
 * @throws {SpreadsheetError}
 */
export function openSheetScanner(
  limits: SpreadsheetLimits,
  dateStyles: readonly boolean[],
  onRow: (row: RawRow) => void,
) {
  const slots = openRowSlots(limits);
  const rows = openRowScanner(limits, dateStyles, slots, onRow);
  const hidden = new Set<number>();
  let tags = 0;
  const noteColumn = (tag: string): void => {
    // A valid file has at most one tag per column. More tags, with overlapping ranges, would be an attempt to use up
    // processing time.
    if (++tags > limits.maxColumns || !/\shidden\s*=\s*["'](?:1|true)["']/.test(tag)) return;
    const [first, last] = [FIRST, LAST].map((pattern) => Number(pattern.exec(tag)?.[1]));
    for (let column = first ?? 0; column <= Math.min(last ?? 0, limits.maxColumns); column++) hidden.add(column - 1);
  };
  const sheet: Sheet = { state: "before", rows, noteColumn };
  const maxRest = limits.maxRowChars * 4;
  let [rest, waitFor] = ["", 0];
  return {
    push(text: string): void {
      if (sheet.state === "after") return;
      const buffer = rest === "" ? text : rest + text;
      if (buffer.length < waitFor) {
        rest = buffer;
        return;
      }
      const end = scan(sheet, buffer);
      rest = end === 0 ? buffer : buffer.slice(end);
      if (rest.length > maxRest) throw new SpreadsheetError("row-text", { row: rows.underWay() });
      waitFor = end === 0 ? Math.min(rest.length * RETRY_GROWTH, maxRest) : 0;
    },
    end(): void {
      if (waitFor > 0) scan(sheet, rest);
      if (sheet.state !== "after") throw new SpreadsheetError("damaged");
    },
    choose: slots.choose,
    isHidden: (column: number): boolean => hidden.has(column),
  };
}

interface Sheet {
  state: "before" | "rows" | "after";
  readonly rows: ReturnType<typeof openRowScanner>;
  readonly noteColumn: (tag: string) => void;
}

function scan(sheet: Sheet, buffer: string): number {
  let at = 0;
  const hasDeclarations = buffer.includes("<!");
  while (sheet.state !== "after") {
    const open = buffer.indexOf("<", at);
    if (open === -1) return buffer.length;
    const next = skipMarkup(buffer, open) || scanTag(sheet, buffer, open, hasDeclarations);
    if (next === INCOMPLETE) return open;
    at = next;
  }
  return buffer.length;
}

function scanTag(sheet: Sheet, buffer: string, open: number, hasDeclarations: boolean): number {
  const end = findTagEnd(buffer, open + 1);
  if (end === INCOMPLETE) {
    if (sheet.state === "before" && buffer.length - open > MAX_TAG_CHARS) throw new SpreadsheetError("markup");
    return INCOMPLETE;
  }
  const isClosing = buffer.charCodeAt(open + 1) === SLASH;
  const name = readName(buffer, isClosing ? open + 2 : open + 1);
  if (name === "row" && !isClosing && sheet.state === "rows")
    return sheet.rows.scan(buffer, open, end, hasDeclarations);
  if (name === "sheetData" && isClosing === (sheet.state === "rows"))
    sheet.state = isClosing || buffer.charCodeAt(end - 1) === SLASH ? "after" : "rows";
  else if (name === "col" && sheet.state === "before") sheet.noteColumn(buffer.slice(open, end));
  return end + 1;
}

const FIRST = /\smin\s*=\s*["'](\d{1,6})["']/;
const LAST = /\smax\s*=\s*["'](\d{1,6})["']/;

/** Row and cell numbers must increase, because they identify staged rows and reported faults. */
function openRowScanner(
  limits: SpreadsheetLimits,
  dateStyles: readonly boolean[],
  slots: RowSlots,
  onRow: (row: RawRow) => void,
) {
  const cells = openCellScanner(limits, dateStyles, slots);
  const { cell } = cells;
  let lastNumber = 0;
  return {
    underWay: () => Math.max(slots.row.row, lastNumber + 1),
    /**
     * Scans the row whose tag begins at `open` and ends at `tagEnd`, and returns the position after the row, or
     * INCOMPLETE.
     * @param hasDeclarations whether the buffer contains comments or CDATA
     */
    scan(buffer: string, open: number, tagEnd: number, hasDeclarations: boolean): number {
      slots.clear(readRowNumber(buffer, open, tagEnd, lastNumber + 1));
      const isEmpty = buffer.charCodeAt(tagEnd - 1) === SLASH;
      // If there are no comments or CDATA, the rest of a row can be skipped by searching for its end tag.
      const isPlain = !hasDeclarations && buffer.startsWith("<row", open);
      const end = isEmpty ? tagEnd + 1 : scanCells(buffer, tagEnd + 1, isPlain);
      if (end === INCOMPLETE) return INCOMPLETE;
      lastNumber = slots.row.row;
      if (lastNumber > limits.maxRows) throw new SpreadsheetError("rows", { limit: limits.maxRows });
      if (slots.hasCells()) onRow(slots.row);
      return end;
    },
  };

  function scanCells(buffer: string, from: number, isPlain: boolean): number {
    let at = from;
    cell.column = -1;
    for (;;) {
      if (isPlain && slots.endAt(cell.column)) return skipPast(buffer, "</row>", at);
      const open = buffer.charCodeAt(at) === LESS ? at : buffer.indexOf("<", at);
      if (open === -1) return INCOMPLETE;
      const next = skipMarkup(buffer, open);
      if (next === INCOMPLETE) return INCOMPLETE;
      if (next !== 0) {
        at = next;
        continue;
      }
      const isClosing = buffer.charCodeAt(open + 1) === SLASH;
      const nameAt = skipPrefix(buffer, isClosing ? open + 2 : open + 1);
      if (isCellName(buffer, nameAt) && !isClosing) {
        const last = cell.column;
        at = cells.scan(buffer, nameAt + 1);
        if (at !== INCOMPLETE && cell.column <= last) throw new SpreadsheetError("damaged");
      } else {
        const end = findTagEnd(buffer, nameAt);
        if (end === INCOMPLETE) return INCOMPLETE;
        if (isClosing && readName(buffer, nameAt) === "row") return end + 1;
        at = end + 1;
      }
      if (at === INCOMPLETE) return INCOMPLETE;
    }
  }
}

const ROW_NUMBER = /\sr\s*=\s*(?:"([^"]*)"|'([^']*)')/;

function readRowNumber(buffer: string, open: number, end: number, next: number): number {
  const found = ROW_NUMBER.exec(buffer.slice(open, end));
  if (found === null) return next;
  const number = Number(found[1] ?? found[2]);
  if (!Number.isInteger(number) || number < next) throw new SpreadsheetError("damaged");
  return number;
}

const MERGED = /mergeCell ref\s*=\s*["']([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})["']/g;
const MOST_MERGED = 10_000;
const MOST_TAG_CHARS = 200;

interface SheetContext {
  readonly archive: Archive;
  readonly dateStyles: readonly boolean[];
  readonly startsIn1904: boolean;
  readonly sharedStrings: TextStore | undefined;
  readonly limits: SpreadsheetLimits;
}

export function openSheetSource(path: string, context: SheetContext): SheetSource {
  const { archive, dateStyles, startsIn1904, sharedStrings, limits } = context;
  let emit: (row: RawRow) => void = () => undefined;
  const scanner = openSheetScanner(limits, dateStyles, (row) => emit(row));
  const total = archive.entries.get(path)?.uncompressedSize ?? 1;
  return {
    ...openCellReader(startsIn1904, sharedStrings, limits),
    choose: scanner.choose,
    isHidden: scanner.isHidden,
    async listMerged(columns) {
      const letters = columns.map(columnLetters);
      const found = new Map<string, MergedRows>();
      let rest = "";
      for await (const chunk of archive.readEntry(path)) {
        const text = rest + chunk.toString("latin1");
        for (const [, letter = "", first, last] of text.includes("mergeCell ") ? text.matchAll(MERGED) : []) {
          const column = columns[letters.indexOf(letter)];
          if (column !== undefined && Number(first) < Number(last) && found.size < MOST_MERGED)
            found.set(`${letter}${first}`, { column, first: Number(first), last: Number(last) });
        }
        // A tag may continue in the next chunk, so the text from the last "<" is kept.
        rest = text.slice(Math.max(0, text.lastIndexOf("<"), text.length - MOST_TAG_CHARS));
      }
      return [...found.values()];
    },
    async *run(onRow) {
      emit = onRow;
      let read = 0;
      for await (const chunk of archive.readEntry(path)) {
        if (read === 0 && readByteOrderMark(chunk) !== undefined) throw new SpreadsheetError("bad-encoding");
        scanner.push(chunk.toString("latin1"));
        read += chunk.length;
        yield read / total;
      }
      scanner.end();
    },
  };
}
