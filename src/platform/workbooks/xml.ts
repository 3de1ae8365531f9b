import { SpreadsheetError } from "./spreadsheet-error.ts";
import { decodeText } from "./text-encoding.ts";

export const INCOMPLETE = -1;
export const [LESS, GREATER, SLASH, EQUALS, QUOTE] = [0x3c, 0x3e, 0x2f, 0x3d, 0x22] as const;
const [BANG, QUESTION, COLON, APOSTROPHE] = [0x21, 0x3f, 0x3a, 0x27] as const;
const CDATA = "<![CDATA[";
// No tag of a real workbook is longer than this.
export const MAX_TAG_CHARS = 64 * 1024;
const NEAR_CHARS = 16;
const NAME_CHARS = 64;

/**
 * Returns the position after a comment, declaration or CDATA, 0 if there is a tag, or INCOMPLETE. Document types are
 * refused, so that no entity can be defined.
 */
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

// A ">" inside a quoted attribute does not end the tag, so quoted text is skipped.
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

export function findQuote(buffer: string, equals: number): number {
  if (equals === -1) return INCOMPLETE;
  let at = equals + 1;
  while (isBlank(buffer.charCodeAt(at))) at += 1;
  const code = buffer.charCodeAt(at);
  if (code === QUOTE || code === APOSTROPHE) return at;
  if (at >= buffer.length) return INCOMPLETE;
  throw new SpreadsheetError("damaged");
}

// Most attribute values have only a few characters, for which a loop is faster than indexOf.
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

export const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/**
 * `name` has no namespace prefix, and `attributes` is raw text for `readAttribute`. Text may arrive in several pieces,
 * with its references unresolved unless `isLiteral`. The handler must limit the length of the text it collects.
 */
export interface XmlHandler {
  open(name: string, attributes: string): void;
  close?(name: string): void;
  text?(text: string, isLiteral: boolean): void;
  isOver?: boolean;
}

const MAX_REFERENCE_CHARS = 12;
const NAMED: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const REFERENCE = /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w+));/g;

/**
 * Keeps at most one tag in memory, so that a giant cell cannot exhaust the memory, as it could with general parsers.
 * Document types are refused, so that no entity can be defined.
 */
export async function scanXml(bytes: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  let rest = "";
  for await (const text of decodeText(bytes, "utf-8")) {
    const buffer = rest + text;
    rest = buffer.slice(scanPiece(buffer, 0, handler));
    if (rest.length > MAX_TAG_CHARS) throw new SpreadsheetError("markup");
  }
  if (rest.trim() !== "") throw new SpreadsheetError("damaged");
}

export function readAttribute(attributes: string, name: string): string | undefined {
  const size = name.length;
  for (let at = attributes.indexOf(name); at !== -1; at = attributes.indexOf(name, at + size)) {
    if (!isBlank(attributes.charCodeAt(at - 1))) continue;
    if (attributes.startsWith('="', at + size)) {
      const end = attributes.indexOf('"', at + size + 2);
      return resolveReferences(attributes.slice(at + size + 2, end));
    }
    const value = /^\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(attributes.slice(at + size));
    if (value !== null) return resolveReferences(value[1] ?? value[2] ?? "");
  }
  return undefined;
}

export function scanPiece(buffer: string, from: number, handler: XmlHandler): number {
  let at = from;
  while (at < buffer.length && handler.isOver !== true) {
    if (buffer.charCodeAt(at) !== LESS) {
      const end = textEnd(buffer, at);
      if (end === at) return at;
      handler.text?.(buffer.slice(at, end), false);
      at = end;
      continue;
    }
    const past = skipMarkup(buffer, at);
    if (past > 0 && buffer.startsWith(CDATA, at)) handler.text?.(buffer.slice(at + CDATA.length, past - 3), true);
    const end = past || scanTag(buffer, at, handler);
    if (end === INCOMPLETE) return at;
    at = end;
  }
  return at;
}

// A piece of text may be passed on before the whole text has arrived, but it must not end inside a reference.
function textEnd(buffer: string, at: number): number {
  const next = buffer.indexOf("<", at);
  if (next !== -1) return next;
  const reference = buffer.lastIndexOf("&");
  const isOpen = reference >= at && !buffer.includes(";", reference);
  return isOpen && buffer.length - reference <= MAX_REFERENCE_CHARS ? reference : buffer.length;
}

function scanTag(buffer: string, at: number, handler: XmlHandler): number {
  const isClosing = buffer.charCodeAt(at + 1) === SLASH;
  const from = isClosing ? at + 2 : at + 1;
  const nameEnd = findNameEnd(buffer, from);
  const end = findTagEnd(buffer, nameEnd);
  if (end === INCOMPLETE) return INCOMPLETE;
  const name = readName(buffer, from, nameEnd);
  const isEmpty = buffer.charCodeAt(end - 1) === SLASH;
  if (!isClosing) handler.open(name, buffer.slice(nameEnd, isEmpty ? end - 1 : end));
  if (isClosing || isEmpty) handler.close?.(name);
  return end + 1;
}

export function resolveReferences(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(REFERENCE, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10_ffff ? String.fromCodePoint(code) : "\ufffd";
  });
}
