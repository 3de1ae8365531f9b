import { isUtf8 } from "node:buffer";
import { RAW_CHARS_PER_CHAR } from "./cell-scan.ts";
import type { SpreadsheetLimits } from "./limits.ts";
import { KIND } from "./raw-row.ts";
import type { CellReader } from "./raw-row.ts";
import { toDateText } from "./serial-date.ts";
import { boundText, unescapeText } from "./shared-strings.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";
import type { TextStore } from "./text-store.ts";
import { resolveReferences } from "./xml-scan.ts";

/** What the cells of a workbook are understood by. */
export interface CellContext {
  readonly startsIn1904: boolean;
  readonly sharedStrings: TextStore | undefined;
  readonly limits: SpreadsheetLimits;
}

// Dates and errors are short.
const MAX_WORD_CHARS = 32;

/** Reads the cells that a sheet's scanner cuts out. */
export function openCellReader({ startsIn1904, sharedStrings, limits }: CellContext): CellReader {
  const { maxCellChars } = limits;
  return {
    decode(raw, kind, mostChars = maxCellChars) {
      if (kind === KIND.shared) return sharedStrings?.get(Number(raw), mostChars) ?? "";
      if (raw.length > mostChars * RAW_CHARS_PER_CHAR && mostChars < maxCellChars) return "";
      if (kind === KIND.inline) return boundText(readInline(raw), maxCellChars);
      if (kind === KIND.number) return readNumber(raw, maxCellChars);
      if (kind === KIND.dateNumber) return toDateText(Number(raw), startsIn1904) ?? readNumber(raw, maxCellChars);
      return kind === KIND.empty || kind === KIND.error ? "" : boundText(readPlain(raw), maxCellChars);
    },
    toValue({ row, raws, kinds }, slot) {
      const raw = raws[slot];
      if (raw === undefined || raw === "") return undefined;
      const kind = kinds[slot];
      if (kind === KIND.shared) return sharedStrings?.get(Number(raw)) || undefined;
      if (kind === KIND.inline) return boundText(readInline(raw), maxCellChars, row) || undefined;
      if (kind === KIND.dateNumber) {
        const date = toDateText(Number(raw), startsIn1904);
        if (date !== undefined) return { date };
      }
      if (kind === KIND.number || kind === KIND.dateNumber)
        return toNumber(raw) ?? boundText(readPlain(raw), maxCellChars, row);
      const word = boundText(readPlain(raw), MAX_WORD_CHARS, row);
      if (kind === KIND.boolean) return word.trim() === "1" || word.trim() === "true";
      return kind === KIND.error ? { error: word } : { date: word };
    },
  };
}

/** Reads cells that are what they say: those of CSV text. */
export const plainCells: CellReader = {
  decode: (raw, _kind, mostChars = Infinity) => (raw.length > mostChars ? "" : raw),
  toValue: ({ raws }, slot) => raws[slot] || undefined,
};

const readPlain = (raw: string): string => resolveReferences(readUtf8(raw));
const readInline = (raw: string): string => unescapeText(readPlain(raw));

const toNumber = (raw: string): number | undefined => {
  const number = Number(raw);
  return Number.isFinite(number) ? number : undefined;
};

// "5.0" is 5, and a long identifier that somebody turned into a number is written out.
function readNumber(raw: string, maxChars: number): string {
  const number = toNumber(raw);
  if (number === undefined) return boundText(readPlain(raw), maxChars);
  return Number.isInteger(number) && Math.abs(number) < 1e21 ? BigInt(number).toString() : String(number);
}

// oxlint-disable-next-line no-control-regex -- bytes beyond ASCII are what the test is for
const NOT_ASCII = /[^\0-\x7f]/;

function readUtf8(raw: string): string {
  if (!NOT_ASCII.test(raw)) return raw;
  const bytes = Buffer.from(raw, "latin1");
  if (!isUtf8(bytes)) throw new SpreadsheetError("format", "bad-encoding");
  return bytes.toString();
}
