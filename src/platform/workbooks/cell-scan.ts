import { KIND, type RowSlots } from "./raw-row.ts";
import { SpreadsheetError, type SpreadsheetLimits } from "./spreadsheet-error.ts";
import {
  EQUALS,
  findEndQuote,
  findQuote,
  findTagEnd,
  GREATER,
  INCOMPLETE,
  isBlank,
  QUOTE,
  scanPiece,
  SLASH,
  type XmlHandler,
} from "./xml.ts";

/** XML may encode one character as a reference of up to ten characters. */
export const RAW_CHARS_PER_CHAR = 10;

/**
 * The two usual encodings of a cell are read by fast code. Any other encoding is parsed as general XML, with the same
 * result.
 */
export function openCellScanner(limits: SpreadsheetLimits, dateStyles: readonly boolean[], slots: RowSlots) {
  const cell: CellTag = { column: -1, kind: KIND.number, isEmpty: false };
  const styles = dateStyles.includes(true) ? dateStyles : [];
  const maxRaw = limits.maxCellChars * RAW_CHARS_PER_CHAR;
  const checkLength = (chars: number): void => {
    if (chars > maxRaw) throw isTooLong("cell-text", limits.maxCellChars);
  };
  const isTooLong = (reason: "cell-text" | "columns", limit: number): SpreadsheetError =>
    new SpreadsheetError(reason, { limit, row: slots.row.row, column: cell.column + 1 });
  return {
    cell,
    /**
     * Scans a cell from the end of its tag's name, and returns the position after the cell, or INCOMPLETE.
     * @throws {SpreadsheetError}
     */
    scan(buffer: string, from: number): number {
      const at = readCellTag(buffer, from, cell, slots, styles);
      if (at === INCOMPLETE) return INCOMPLETE;
      if (cell.column >= limits.maxColumns) throw isTooLong("columns", limits.maxColumns);
      if (cell.isEmpty || buffer.startsWith("</c>", at)) return cell.isEmpty ? at : at + 4;
      const slot = slots.find(cell.column);
      const isInline = buffer.startsWith("<is><t>", at);
      if (!isInline && !buffer.startsWith("<v>", at)) return scanOtherForm(buffer, at, slot);
      const start = isInline ? at + 7 : at + 3;
      const end = buffer.indexOf("<", start);
      checkLength((end === -1 ? buffer.length : end) - start);
      if (end === -1) return INCOMPLETE;
      const closing = isInline ? "</t></is></c>" : "</v></c>";
      if (!buffer.startsWith(closing, end)) return scanOtherForm(buffer, at, slot);
      if (slot >= 0 && end > start) slots.keep(slot, buffer.slice(start, end), cell.kind);
      return end + closing.length;
    },
  };

  function scanOtherForm(buffer: string, from: number, slot: number): number {
    const content = openContent(checkLength);
    const at = scanPiece(buffer, from, content.handler);
    if (content.handler.isOver !== true) return INCOMPLETE;
    const { text, isFormula, hasValue } = content.found;
    if (slot < 0) return at;
    if (text !== "") slots.keep(slot, text, cell.kind);
    // A formula's result may be an empty text, but not an empty number, so a formula without a result, or with an empty
    // number, counts as lost.
    else if (isFormula && !(hasValue && cell.kind === KIND.inline)) slots.keep(slot, "", KIND.lost);
    return at;
  }
}

function openContent(checkLength: (chars: number) => void) {
  const found = { text: "", isFormula: false, hasValue: false };
  let [isText, phoneticDepth] = [false, 0];
  const handler: XmlHandler = {
    isOver: false,
    open(name) {
      if (name === "f") found.isFormula = true;
      else if (name === "v") found.hasValue = true;
      if (name === "v" || name === "t") isText = phoneticDepth === 0;
      else if (name === "rPh") phoneticDepth += 1;
    },
    close(name) {
      if (name === "v" || name === "t") isText = false;
      else if (name === "rPh") phoneticDepth -= 1;
      handler.isOver = name === "c";
    },
    text(piece, isLiteral) {
      if (!isText) return;
      // CDATA contains no references, so its ampersands are escaped, because references in the text are resolved later.
      found.text += isLiteral ? piece.replaceAll("&", "&amp;") : piece;
      checkLength(found.text.length);
    },
  };
  return { found, handler };
}

type CellTag = { column: number; kind: number; isEmpty: boolean };

const [R, S, T] = [0x72, 0x73, 0x74] as const;
const MAX_REFERENCE_COLUMNS = 1 << 20;

/**
 * Returns the position after the tag, or INCOMPLETE. For columns that are not kept, it reads no attribute after `r`;
 * nine of ten cells in a daily sheet of 5,000 people are in such columns.
 */
function readCellTag(
  buffer: string,
  from: number,
  cell: CellTag,
  slots: RowSlots,
  dateStyles: readonly boolean[],
): number {
  let at = from;
  let [hasReference, isDate] = [false, false];
  cell.kind = KIND.number;
  cell.isEmpty = false;
  for (;;) {
    const code = buffer.charCodeAt(at);
    if (code === GREATER) break;
    if (code === SLASH) cell.isEmpty = true;
    if (code === SLASH || isBlank(code)) {
      at += 1;
      continue;
    }
    const isPlain = buffer.charCodeAt(at + 1) === EQUALS && buffer.charCodeAt(at + 2) === QUOTE;
    const equals = isPlain ? at + 1 : buffer.indexOf("=", at);
    const start = isPlain ? at + 3 : findQuote(buffer, equals) + 1;
    if (equals === -1 || start === 0) return INCOMPLETE;
    const end = findEndQuote(buffer, start, buffer.charCodeAt(start - 1));
    if (end === INCOMPLETE) return INCOMPLETE;
    if (equals - at === 1 || isBlank(buffer.charCodeAt(at + 1))) {
      if (code === R) {
        hasReference = readReference(buffer, start, end, cell);
        if (hasReference && slots.find(cell.column) < 0) return passTag(buffer, end + 1, cell);
      }
      if (code === T) cell.kind = readKind(buffer, start, end);
      else if (code === S && dateStyles.length > 0) isDate = dateStyles[Number(buffer.slice(start, end))] ?? false;
    }
    at = end + 1;
  }
  if (!hasReference) cell.column += 1;
  if (isDate && cell.kind === KIND.number) cell.kind = KIND.dateNumber;
  return at + 1;
}

function passTag(buffer: string, from: number, cell: CellTag): number {
  const end = findTagEnd(buffer, from);
  if (end === INCOMPLETE) return INCOMPLETE;
  cell.isEmpty ||= buffer.charCodeAt(end - 1) === SLASH;
  return end + 1;
}

// Reads the column of a reference, such as 27 for "AB12". The loop runs for every cell, so it allocates nothing.
function readReference(buffer: string, from: number, end: number, cell: CellTag): boolean {
  let letters = 0;
  for (let at = from; at < end && letters < MAX_REFERENCE_COLUMNS; at++) {
    const letter = buffer.charCodeAt(at) & 0xdf;
    if (letter < 65 || letter > 90) break;
    letters = letters * 26 + letter - 64;
  }
  if (letters === 0) return false;
  cell.column = letters - 1;
  return true;
}

function readKind(buffer: string, from: number, end: number): number {
  const code = buffer.charCodeAt(from);
  if (code === S) return end - from === 1 ? KIND.shared : KIND.inline;
  if (code === 0x69) return KIND.inline;
  if (code === 0x62) return KIND.boolean;
  if (code === 0x65) return KIND.error;
  return code === 0x64 ? KIND.date : KIND.number;
}
