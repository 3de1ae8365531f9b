import { SpreadsheetError } from "./spreadsheet-error.ts";

/**
 * What the scanner meets. `name` is without its namespace prefix. `attributes` is the raw text between
 * the name and the end of the tag, to be asked with `readAttribute`. Text comes with its references
 * resolved, possibly in several pieces; whoever collects it must bound it.
 */
export type XmlHandler = {
  open(name: string, attributes: string): void;
  close(name: string): void;
  text(text: string): void;
};

export type XmlScanner = { push(text: string): void; end(): void };

// Longer than any tag of a workbook; what exceeds it is no workbook's markup.
const MAX_TAG_CHARS = 64 * 1024;
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
      if (rest.length > MAX_TAG_CHARS) throw new SpreadsheetError("limit", "markup");
    },
    end() {
      if (rest.trim() !== "") throw new SpreadsheetError("format", "damaged");
    },
  };
}

/** Runs a scanner over the bytes of a part, which must be UTF-8. */
export async function scanXml(bytes: AsyncIterable<Uint8Array>, handler: XmlHandler): Promise<void> {
  const scanner = openXmlScanner(handler);
  for await (const text of decodeUtf8(bytes)) scanner.push(text);
  scanner.end();
}

/** Errors: `SpreadsheetError` "bad-encoding". */
export async function* decodeUtf8(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw new SpreadsheetError("format", "bad-encoding");
    }
  };
  for await (const chunk of bytes) yield decode(chunk);
  yield decode();
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

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Returns how many characters are dealt with. */
function scan(buffer: string, handler: XmlHandler): number {
  let at = 0;
  while (at < buffer.length) {
    if (buffer.charCodeAt(at) !== 0x3c) {
      const end = textEnd(buffer, at);
      if (end === at) return at;
      handler.text(resolveReferences(buffer.slice(at, end)));
      at = end;
      continue;
    }
    const end = scanMarkup(buffer, at, handler);
    if (end === -1) return at;
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
  const second = buffer.charCodeAt(at + 1);
  if (second === 0x2f) return scanClosing(buffer, at + 2, handler);
  if (second === 0x3f) return skipPast(buffer, "?>", at);
  if (second === 0x21) return scanDeclaration(buffer, at, handler);
  return scanOpening(buffer, at + 1, handler);
}

function scanClosing(buffer: string, from: number, handler: XmlHandler): number {
  const end = buffer.indexOf(">", from);
  if (end === -1) return -1;
  handler.close(localName(buffer.slice(from, end).trimEnd()));
  return end + 1;
}

function scanOpening(buffer: string, from: number, handler: XmlHandler): number {
  const nameEnd = findNameEnd(buffer, from);
  const end = findTagEnd(buffer, nameEnd);
  if (end === -1) return -1;
  const isEmpty = buffer.charCodeAt(end - 1) === 0x2f;
  const name = localName(buffer.slice(from, nameEnd));
  handler.open(name, buffer.slice(nameEnd, isEmpty ? end - 1 : end));
  if (isEmpty) handler.close(name);
  return end + 1;
}

function findNameEnd(buffer: string, from: number): number {
  let at = from;
  for (; at < buffer.length; at++) {
    const code = buffer.charCodeAt(at);
    if (code === 0x3e || code === 0x2f || isBlank(code)) return at;
  }
  return at;
}

// A ">" inside an attribute's quotes does not end the tag.
function findTagEnd(buffer: string, from: number): number {
  for (let at = from; at < buffer.length; at++) {
    const code = buffer.charCodeAt(at);
    if (code === 0x3e) return at;
    if (code !== 0x22 && code !== 0x27) continue;
    at = buffer.indexOf(code === 0x22 ? '"' : "'", at + 1);
    if (at === -1) return -1;
  }
  return -1;
}

function localName(name: string): string {
  const colon = name.indexOf(":");
  return colon === -1 ? name : name.slice(colon + 1);
}

function scanDeclaration(buffer: string, at: number, handler: XmlHandler): number {
  if (buffer.startsWith("<!--", at)) return skipPast(buffer, "-->", at + 4);
  if (buffer.startsWith("<![CDATA[", at)) {
    const end = buffer.indexOf("]]>", at);
    if (end === -1) return -1;
    handler.text(buffer.slice(at + 9, end));
    return end + 3;
  }
  if (buffer.length - at < 9) return -1;
  throw new SpreadsheetError("limit", "markup");
}

function skipPast(buffer: string, mark: string, from: number): number {
  const end = buffer.indexOf(mark, from);
  return end === -1 ? -1 : end + mark.length;
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
