import { SpreadsheetError } from "#platform/workbooks/index.ts";
import { KIND } from "./raw-row.ts";

// The places of things in markup. Each gives INCOMPLETE where the text ends too early to tell.

export const INCOMPLETE = -1;
export const [LESS, GREATER, SLASH, EQUALS, QUOTE] = [0x3c, 0x3e, 0x2f, 0x3d, 0x22] as const;
const [BANG, QUESTION, COLON, APOSTROPHE] = [0x21, 0x3f, 0x3a, 0x27] as const;
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
  if (buffer.startsWith("<![CDATA[", open)) return skipPast(buffer, "]]>", open);
  if (buffer.length - open < 9) return INCOMPLETE;
  throw new SpreadsheetError("limit", "markup");
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
  throw new SpreadsheetError("format", "damaged");
}

// Values are of a few characters: looking for each by hand is quicker than a call that searches.
export function findEndQuote(buffer: string, from: number, quote: number): number {
  const near = Math.min(buffer.length, from + NEAR_CHARS);
  for (let at = from; at < near; at++) if (buffer.charCodeAt(at) === quote) return at;
  return buffer.indexOf(quote === QUOTE ? '"' : "'", near);
}

/** The name that begins at `from`, without its prefix. */
export function readName(buffer: string, from: number): string {
  let start = from;
  let at = from;
  for (; at < buffer.length; at++) {
    const code = buffer.charCodeAt(at);
    if (code === COLON) start = at + 1;
    else if (code === GREATER || code === SLASH || isBlank(code)) break;
  }
  return buffer.slice(start, at);
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

const ROW_NUMBER = /\sr\s*=\s*(?:"([^"]*)"|'([^']*)')/;

/** Rows come in order, each once: what is stored and told of them goes by their numbers. */
export function readRowNumber(buffer: string, open: number, end: number, next: number): number {
  const found = ROW_NUMBER.exec(buffer.slice(open, end));
  if (found === null) return next;
  const number = Number(found[1] ?? found[2]);
  if (!Number.isInteger(number) || number < next) throw new SpreadsheetError("format", "damaged");
  return number;
}

/** What the attribute t of a cell says of its value. */
export function readKind(buffer: string, from: number, end: number): number {
  const code = buffer.charCodeAt(from);
  if (code === 0x73) return end - from === 1 ? KIND.shared : KIND.inline;
  if (code === 0x69) return KIND.inline;
  if (code === 0x62) return KIND.boolean;
  if (code === 0x65) return KIND.error;
  return code === 0x64 ? KIND.date : KIND.number;
}
