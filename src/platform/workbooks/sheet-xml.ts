/**
 * A string is written as text, except for a decimal number in a column of the `type` "number"; null, undefined and ""
 * leave the cell empty.
 */
export type Cell = string | number | bigint | boolean | null | undefined;

/**
 * `width` is in characters of the standard font. With the `type` "text", every value is written as text; with "number",
 * decimal strings such as "12.50" (PostgreSQL's numeric) are written as numbers; by default the JavaScript type
 * decides.
 */
export type Column = {
  readonly header: string;
  readonly width?: number;
  readonly type?: "text" | "number";
};

export const STYLE = { plain: 0, text: 1, quotedText: 2, heading: 3, quotedHeading: 4 } as const;

// Excel stores only 15 digits of a number, so longer bigints and decimal strings are written as text.
const EXACT_DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const MAX_EXACT_DIGITS = 15;

/** Row numbers start at 1. Values without a column are ignored. */
export function openRowWriter(columns: readonly Column[]) {
  const plans = columns.map(({ header, type }, index) => ({ header, type, opening: `<c r="${columnLetters(index)}` }));
  return {
    writeHeading(): string {
      const cells = plans.map(({ opening, header }) =>
        textCell(`${opening}1`, startsLikeFormula(header) ? STYLE.quotedHeading : STYLE.heading, header),
      );
      return `<row r="1">${cells.join("")}</row>`;
    },
    writeRow(rowNumber: number, row: readonly Cell[]): string {
      let xml = `<row r="${rowNumber}">`;
      for (let index = 0; index < plans.length; index++) {
        const value = row[index];
        const plan = plans[index];
        if (value === null || value === undefined || value === "" || plan === undefined) continue;
        xml += writeCell(plan.opening + rowNumber, plan.type, value);
      }
      return `${xml}</row>`;
    },
  };
}

export function columnLetters(index: number): string {
  const head = index >= 26 ? columnLetters(Math.floor(index / 26) - 1) : "";
  return head + String.fromCharCode(65 + (index % 26));
}

function writeCell(opening: string, type: Column["type"], value: NonNullable<Cell>): string {
  if (typeof value === "boolean" && type !== "text") return `${opening}" t="b"><v>${value ? 1 : 0}</v></c>`;
  if (isWrittenAsNumber(value, type)) return `${opening}"><v>${value}</v></c>`;
  const text = typeof value === "string" ? value : String(value);
  return textCell(opening, startsLikeFormula(text) ? STYLE.quotedText : STYLE.text, text);
}

function isWrittenAsNumber(value: string | number | bigint | boolean, type: Column["type"]): boolean {
  if (type === "text") return false;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "bigint") return isExactDecimal(value.toString());
  return type === "number" && typeof value === "string" && isExactDecimal(value);
}

function isExactDecimal(text: string): boolean {
  if (text.length > MAX_EXACT_DIGITS + 2 || !EXACT_DECIMAL.test(text)) return false;
  return text.replace(/[-.]/g, "").length <= MAX_EXACT_DIGITS;
}

/**
 * The text is written inside the cell, because a table of shared strings would be kept in memory until the end. The
 * text is truncated to 32,767 UTF-16 units, but never inside a surrogate pair. Characters that XML 1.0 forbids are
 * removed, and a literal `_xHHHH_` is escaped.
 */
function textCell(opening: string, style: number, value: string): string {
  let text = value;
  if (value.length > MAX_CELL_CHARS) {
    const last = value.charCodeAt(MAX_CELL_CHARS - 1);
    const splitsPair = last >= 0xd800 && last <= 0xdbff;
    text = value.slice(0, splitsPair ? MAX_CELL_CHARS - 1 : MAX_CELL_CHARS);
  }
  const element = NEEDS_CARE.test(text) ? `<t xml:space="preserve">${escapeText(text)}</t>` : `<t>${text}</t>`;
  return `${opening}" s="${style}" t="inlineStr"><is>${element}</is></c>`;
}

const MAX_CELL_CHARS = 32_767;

// If a cell's text starts with one of these characters, Excel evaluates it as a formula when it is edited or pasted.
// East Asian versions of Excel also accept the last four, which are full-width forms.
const FORMULA_START = new Set(Array.from("=+-@\t\r\n＝＋－＠", (character) => character.charCodeAt(0)));

// oxlint-disable-next-line no-control-regex -- the pattern must match control characters
const NEEDS_CARE = /[&<>\u0000-\u001f\ud800-\udfff\ufffe\uffff]|_x|^ | $/;
// oxlint-disable-next-line no-control-regex
const FORBIDDEN_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
// oxlint-disable-next-line no-control-regex
const ALLOWED_IN_XML = /[^\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
const LOOKS_ESCAPED = /_(?=x[0-9A-Fa-f]{4}_)/g;

/**
 * Whether a spreadsheet program might evaluate the text as a formula when it is edited or pasted. Characters that a
 * cell cannot contain are ignored.
 */
const startsLikeFormula = (text: string): boolean => FORMULA_START.has(text.charCodeAt(text.search(ALLOWED_IN_XML)));

// Forms send CR LF, but a cell contains only LF. A lone CR is written as a reference, since XML readers would normalise
// it to LF.
export const escapeText = (text: string): string =>
  text
    .replace(FORBIDDEN_IN_XML, "")
    .toWellFormed()
    .replace(LOOKS_ESCAPED, "_x005F_")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r\n", "\n")
    .replaceAll("\r", "&#13;");
