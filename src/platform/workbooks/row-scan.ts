import { openCellScanner } from "./cell-scan.ts";
import type { SpreadsheetLimits } from "./limits.ts";
import {
  INCOMPLETE,
  LESS,
  SLASH,
  findTagEnd,
  isCellName,
  readName,
  skipMarkup,
  skipPast,
  skipPrefix,
} from "./markup.ts";
import type { RawRow, RowSlots } from "./raw-row.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";

export interface RowScanner {
  /**
   * Scans the row whose tag is from `open` to `tagEnd`; returns the place behind the row.
   * @param hasDeclarations whether comments or CDATA stand anywhere in the buffer
   */
  scan(buffer: string, open: number, tagEnd: number, hasDeclarations: boolean): number;
  /** The number of the row that was not all there, else of the next one. */
  underWay(): number;
}

/** Rows come in order, each once: what is stored and told of them goes by their numbers. So do the cells of a row. */
export function openRowScanner(
  limits: SpreadsheetLimits,
  dateStyles: readonly boolean[],
  slots: RowSlots,
  onRow: (row: RawRow) => void,
): RowScanner {
  const cells = openCellScanner(limits, dateStyles, slots);
  const { cell } = cells;
  let [lastNumber, rowCount] = [0, 0];
  return {
    underWay: () => Math.max(slots.row.row, lastNumber + 1),
    scan(buffer, open, tagEnd, hasDeclarations) {
      slots.clear(readRowNumber(buffer, open, tagEnd, lastNumber + 1));
      const isEmpty = buffer.charCodeAt(tagEnd - 1) === SLASH;
      // Where every tag is plain, the rest of a row can be jumped over.
      const isPlain = !hasDeclarations && buffer.startsWith("<row", open);
      const end = isEmpty ? tagEnd + 1 : scanCells(buffer, tagEnd + 1, isPlain);
      if (end === INCOMPLETE) return INCOMPLETE;
      lastNumber = slots.row.row;
      rowCount += 1;
      if (lastNumber > limits.maxRows || rowCount > limits.maxRows)
        throw new SpreadsheetError("rows", { limit: limits.maxRows });
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
