import { EQUALS, findEndQuote, findQuote, findTagEnd, GREATER, INCOMPLETE, isBlank, QUOTE, SLASH } from "./markup.ts";
import { KIND } from "./raw-row.ts";
import type { RowSlots } from "./row-slots.ts";

/** What the tag of a cell says of it. */
export interface CellTag {
  /** From 0; where the tag names none, the one behind the last. */
  column: number;
  /** One of `KIND`. */
  kind: number;
  /** It has no content. */
  isEmpty: boolean;
}

const [R, S, T] = [0x72, 0x73, 0x74] as const;
const MAX_REFERENCE_COLUMNS = 1 << 20;

/**
 * Reads the attributes r, t and s from behind the name of a cell; of one that is not kept, r alone, where that comes first
 * (of the daily sheet of 5,000 people nine cells of ten are not kept).
 * @param slots which columns are kept
 * @param dateStyles by style, whether it shows a date
 * @returns the place behind the tag
 */
export function readCellTag(
  buffer: string,
  from: number,
  cell: CellTag,
  slots: Pick<RowSlots, "find">,
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
    // Nearly always a name of one letter, "=" and a quote.
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

/** The place behind a tag of which nothing more is wanted than whether it has content. */
function passTag(buffer: string, from: number, cell: CellTag): number {
  const end = findTagEnd(buffer, from);
  if (end === INCOMPLETE) return INCOMPLETE;
  cell.isEmpty ||= buffer.charCodeAt(end - 1) === SLASH;
  return end + 1;
}

// "AB12" is column 27. Letters are counted by hand: this runs once a cell.
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

/** What the attribute t says of a cell's value. */
function readKind(buffer: string, from: number, end: number): number {
  const code = buffer.charCodeAt(from);
  if (code === S) return end - from === 1 ? KIND.shared : KIND.inline;
  if (code === 0x69) return KIND.inline;
  if (code === 0x62) return KIND.boolean;
  if (code === 0x65) return KIND.error;
  return code === 0x64 ? KIND.date : KIND.number;
}
