import { SpreadsheetError } from "./spreadsheet-error.ts";

// The places of things in markup. Each gives INCOMPLETE where the text ends too early to tell.

export const INCOMPLETE = -1;
export const [LESS, GREATER, SLASH, EQUALS, QUOTE] = [0x3c, 0x3e, 0x2f, 0x3d, 0x22] as const;
const [BANG, QUESTION, COLON, APOSTROPHE] = [0x21, 0x3f, 0x3a, 0x27] as const;
export const CDATA = "<![CDATA[";
// Longer than any tag of a workbook; what exceeds it is no workbook's markup.
export const MAX_TAG_CHARS = 64 * 1024;
// Longer than the value of any attribute of a cell; a longer one is looked for by a call that searches.
const NEAR_CHARS = 16;
// The names that matter are short; one that is not needs no telling apart.
const NAME_CHARS = 64;

/** Behind a comment, a declaration's `?>` or CDATA; 0 for a tag; document types are refused, so no entity can be defined. */
export function skipMarkup(buffer: string, open: number): number {
  const code = buffer.charCodeAt(open + 1);
  if (code === QUESTION) return skipPast(buffer, "?>", open);
  if (code !== BANG) return open + 1 < buffer.length ? 0 : INCOMPLETE;
  if (buffer.startsWith("<!--", open)) return skipPast(buffer, "-->", open + 4);
  if (buffer.startsWith(CDATA, open)) return skipPast(buffer, "]]>", open);
  if (buffer.length - open < CDATA.length) return INCOMPLETE;
  throw new SpreadsheetError("markup");
}

export function skipPast(buffer: string, mark: string, from: number): number {
  const end = buffer.indexOf(mark, from);
  return end === -1 ? INCOMPLETE : end + mark.length;
}

// A ">" inside an attribute's quotes does not end the tag.
export function findTagEnd(buffer: string, from: number): number {
  for (let at = from; at < buffer.length; at++) {
    const code = buffer.charCodeAt(at);
    if (code === GREATER) return at;
    if (code !== QUOTE && code !== APOSTROPHE) continue;
    at = buffer.indexOf(code === QUOTE ? '"' : "'", at + 1);
    if (at === -1) return INCOMPLETE;
  }
  return INCOMPLETE;
}

/** The place of the quote that begins an attribute's value, behind the "=" at `equals`. */
export function findQuote(buffer: string, equals: number): number {
  if (equals === -1) return INCOMPLETE;
  let at = equals + 1;
  while (isBlank(buffer.charCodeAt(at))) at += 1;
  const code = buffer.charCodeAt(at);
  if (code === QUOTE || code === APOSTROPHE) return at;
  if (at >= buffer.length) return INCOMPLETE;
  throw new SpreadsheetError("damaged");
}

// Values are of a few characters: looking for each by hand is quicker than a call that searches.
export function findEndQuote(buffer: string, from: number, quote: number): number {
  const near = Math.min(buffer.length, from + NEAR_CHARS);
  for (let at = from; at < near; at++) if (buffer.charCodeAt(at) === quote) return at;
  return buffer.indexOf(quote === QUOTE ? '"' : "'", near);
}

export function findNameEnd(buffer: string, from: number): number {
  let at = from;
  for (; at < buffer.length; at++) {
    const code = buffer.charCodeAt(at);
    if (code === GREATER || code === SLASH || isBlank(code)) return at;
  }
  return at;
}

/** The name between two places, without its prefix. */
export function readName(buffer: string, from: number, end = findNameEnd(buffer, from)): string {
  for (let at = end; at > from; at--) if (buffer.charCodeAt(at - 1) === COLON) return buffer.slice(at, end);
  return buffer.slice(from, end);
}

export function skipPrefix(buffer: string, from: number): number {
  for (let at = from; at < from + NAME_CHARS; at++) {
    const code = buffer.charCodeAt(at);
    if (code === COLON) return at + 1;
    if (code === GREATER || code === SLASH || code === EQUALS || isBlank(code) || Number.isNaN(code)) break;
  }
  return from;
}

export function isCellName(buffer: string, at: number): boolean {
  if (buffer.charCodeAt(at) !== 0x63) return false;
  const code = buffer.charCodeAt(at + 1);
  return code === GREATER || code === SLASH || isBlank(code);
}

export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
