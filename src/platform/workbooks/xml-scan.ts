import {
  CDATA,
  findNameEnd,
  findTagEnd,
  INCOMPLETE,
  isBlank,
  LESS,
  MAX_TAG_CHARS,
  readName,
  skipMarkup,
  SLASH,
} from "./markup.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";
import { decodeText } from "./text-encoding.ts";

/**
 * What the scanner meets. `name` is without its namespace prefix. `attributes` is the raw text between
 * the name and the end of the tag, to be asked with `readAttribute`. Text comes with its references
 * resolved, possibly in several pieces; whoever collects it must bound it.
 */
export interface XmlHandler {
  open(name: string, attributes: string): void;
  close?(name: string): void;
  text?(text: string): void;
}

export type XmlScanner = { push(text: string): void; end(): void };

const MAX_REFERENCE_CHARS = 12;
const NAMED: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const REFERENCE = /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w+));/g;

/**
 * A scanner for the XML of workbooks, fed in pieces. It never keeps more than one tag: text is handed
 * on as it comes, which is what no general reader does, and why none survives one giant cell.
 * Document types are refused, so no entity can be defined.
 */
export function openXmlScanner(handler: XmlHandler): XmlScanner {
  let rest = "";
  return {
    push(text) {
      const buffer = rest + text;
      rest = buffer.slice(scan(buffer, handler));
      if (rest.length > MAX_TAG_CHARS) throw new SpreadsheetError("markup");
    },
    end() {
      if (rest.trim() !== "") throw new SpreadsheetError("damaged");
    },
  };
}

/** Runs a scanner over the bytes of a part, which must be UTF-8. */
export async function scanXml(bytes: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  const scanner = openXmlScanner(handler);
  for await (const text of decodeText(bytes, "utf-8")) scanner.push(text);
  scanner.end();
}

/** The value of an attribute, by its whole name, or undefined. */
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

/** Returns how many characters are dealt with. */
function scan(buffer: string, handler: XmlHandler): number {
  let at = 0;
  while (at < buffer.length) {
    if (buffer.charCodeAt(at) !== LESS) {
      const end = textEnd(buffer, at);
      if (end === at) return at;
      handler.text?.(resolveReferences(buffer.slice(at, end)));
      at = end;
      continue;
    }
    const end = scanMarkup(buffer, at, handler);
    if (end === INCOMPLETE) return at;
    at = end;
  }
  return at;
}

// Text may be handed on before its end is seen, but not a reference before its semicolon.
function textEnd(buffer: string, at: number): number {
  const next = buffer.indexOf("<", at);
  if (next !== -1) return next;
  const reference = buffer.lastIndexOf("&");
  const isOpen = reference >= at && !buffer.includes(";", reference);
  return isOpen && buffer.length - reference <= MAX_REFERENCE_CHARS ? reference : buffer.length;
}

function scanMarkup(buffer: string, at: number, handler: XmlHandler): number {
  const past = skipMarkup(buffer, at);
  if (past > 0 && buffer.startsWith(CDATA, at)) handler.text?.(buffer.slice(at + CDATA.length, past - 3));
  return past || scanTag(buffer, at, handler);
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

/** A text with its references to characters written out; what refers to nothing known stays as it is. */
export function resolveReferences(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(REFERENCE, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10_ffff ? String.fromCodePoint(code) : "\ufffd";
  });
}
