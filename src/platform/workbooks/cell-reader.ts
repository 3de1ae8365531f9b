import { isUtf8 } from "node:buffer";
import { RAW_CHARS_PER_CHAR } from "./cell-scan.ts";
import { type CellReader, type CellValue, KIND } from "./raw-row.ts";
import { boundText, type TextStore, unescapeText } from "./shared-strings.ts";
import { SpreadsheetError, type SpreadsheetLimits } from "./spreadsheet-error.ts";
import { resolveReferences } from "./xml.ts";

const MAX_WORD_CHARS = 32;

export function openCellReader(
  startsIn1904: boolean,
  sharedStrings: TextStore | undefined,
  { maxCellChars }: SpreadsheetLimits,
): CellReader {
  const read = (raw: string, kind: number, row?: number): CellValue => {
    if (kind === KIND.inline) return boundText(unescapeText(readPlain(raw)), maxCellChars, row);
    const date = kind === KIND.dateNumber ? toDateText(Number(raw), startsIn1904) : undefined;
    if (date !== undefined) return { date };
    if (kind === KIND.number || kind === KIND.dateNumber)
      return Number.isFinite(Number(raw)) ? Number(raw) : boundText(readPlain(raw), maxCellChars, row);
    const word = boundText(readPlain(raw), MAX_WORD_CHARS, row);
    if (kind === KIND.boolean) return /^\s*(?:1|true)\s*$/.test(word);
    return kind === KIND.error ? { error: word } : { date: word };
  };
  return {
    decode(raw, kind, mostChars = maxCellChars) {
      if (kind === KIND.shared) return sharedStrings?.get(Number(raw), mostChars) ?? "";
      if (raw.length > mostChars * RAW_CHARS_PER_CHAR && mostChars < maxCellChars) return "";
      return raw === "" ? "" : showValue(read(raw, kind));
    },
    toValue({ row, raws, kinds }, slot) {
      const [raw = "", kind = KIND.empty] = [raws[slot], kinds[slot]];
      if (raw === "") return undefined;
      const value = kind === KIND.shared ? sharedStrings?.get(Number(raw)) : read(raw, kind, row);
      return value === "" ? undefined : value;
    },
  };
}

function showValue(value: CellValue): string {
  if (typeof value === "number")
    return Number.isInteger(value) && Math.abs(value) < 1e21 ? BigInt(value).toString() : String(value);
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "string") return value;
  return "date" in value ? value.date : "";
}

export const plainCells: CellReader = {
  decode: (raw, _kind, mostChars = Infinity) => (raw.length > mostChars ? "" : raw),
  toValue: ({ raws }, slot) => raws[slot] || undefined,
};

// oxlint-disable-next-line no-control-regex -- the pattern must match everything except ASCII
const NOT_ASCII = /[^\0-\x7f]/;

function readPlain(raw: string): string {
  if (!NOT_ASCII.test(raw)) return resolveReferences(raw);
  const bytes = Buffer.from(raw, "latin1");
  if (!isUtf8(bytes)) throw new SpreadsheetError("bad-encoding");
  return resolveReferences(bytes.toString());
}

const DAY_MS = 86_400_000;
const DAY_SECONDS = 86_400;
const LAST_SERIAL = 2_958_465; // the serial number of 9999-12-31
// Excel has the same limit. Longer codes are not examined, because matching their brackets would take quadratic time.
const MAX_CODE_CHARS = 255;

/**
 * Whether a number format displays a date or time: a built-in one, or a custom code that contains y, m, d, h, s or one
 * of 年月日时分秒 outside quotes, escapes and brackets, or an elapsed time such as [h].
 */
export function isDateFormat(formatId: number, customCode: string | undefined): boolean {
  if (customCode !== undefined) {
    if (customCode.length > MAX_CODE_CHARS) return false;
    const bare = customCode.replace(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, "");
    return /[ymdhs年月日时分秒]/i.test(bare.replace(/general/gi, ""));
  }
  // The built-in formats 27–36 and 50–58 are East Asian dates.
  const isDate = (formatId >= 14 && formatId <= 22) || (formatId >= 45 && formatId <= 47);
  return isDate || (formatId >= 27 && formatId <= 36) || (formatId >= 50 && formatId <= 58);
}

/**
 * Returns `yyyy-MM-dd`, `yyyy-MM-ddTHH:mm:ss` or, for a number below one in the 1900 date system, `HH:mm:ss`, without a
 * time zone. Returns undefined if the serial number is out of range.
 */
export function toDateText(serial: number, startsIn1904: boolean): string | undefined {
  if (!(serial >= 0 && serial <= LAST_SERIAL + 1)) return undefined;
  const seconds = Math.round(serial * DAY_SECONDS);
  const day = Math.floor(seconds / DAY_SECONDS);
  const time = new Date((seconds % DAY_SECONDS) * 1000).toISOString().slice(11, 19);
  if (day === 0 && !startsIn1904) return time;
  // Excel counts 29 February 1900, which did not exist, so its serial numbers are one too high from 1 March 1900.
  const firstMs = startsIn1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, day < 60 ? 31 : 30);
  const date = new Date(firstMs + day * DAY_MS).toISOString().slice(0, 10);
  return seconds % DAY_SECONDS === 0 ? date : `${date}T${time}`;
}
