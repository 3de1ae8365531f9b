import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import iconv from "iconv-lite";
import { buildArchive } from "#test/archive-fixture.ts";
import { columnLetters } from "#platform/workbooks/sheet-xml.ts";
import { streamZip } from "#platform/workbooks/zip-stream.ts";
import type { ZipSource } from "#platform/workbooks/zip-stream.ts";

/** A string is a text cell, a number is a numeric cell, and null is an empty cell that exists, as in the exports. */
export type CellText = string | number | null | MadeCell;

/** Cells of an edited export: formulas with or without a cached value, errors, and numbers written as given (`raw`). */
export type MadeCell =
  | { readonly formula: string; readonly saved?: string | number }
  | { readonly error: string }
  | { readonly raw: string };

export interface Sheet {
  readonly name: string;
  readonly head: readonly (readonly CellText[])[];
  /** A generator allows a sheet that is larger than memory, but such a sheet can be written only once. */
  readonly rows: Iterable<readonly CellText[]>;
  readonly hiddenColumns?: readonly number[];
  readonly merges?: readonly string[];
}

/** The defaults match an export that nobody has edited. */
export interface BookForm {
  /** Cell texts are "inline" in exports, and "shared" after a spreadsheet program has saved the file. */
  readonly strings?: "inline" | "shared";
  /**
   * Whether sizes follow the data in ZIP data descriptors (flag 8) instead of being in the local headers; by default
   * true.
   */
  readonly descriptors?: boolean;
  /** The dimension that the sheet states; by default "A1", the wrong value in exports. */
  readonly dimension?: string;
}

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const CHUNK_CHARS = 256 * 1024;
const FIRST_RELATION = 3;

/** With ZIP data descriptors the file is streamed, so its sheets may have any length. */
export async function writeBook(path: string, sheets: readonly Sheet[], form: BookForm = {}): Promise<void> {
  const texts = new Map<string, number>();
  const parts = listParts(sheets, form, texts);
  if (form.descriptors ?? true) {
    await pipeline(streamZip(toZipSources(parts), new AbortController().signal), createWriteStream(path));
  } else {
    const entries = [...parts].map(([name, content]) => ({ name, content: [...content].join("") }));
    await writeFile(path, buildArchive(entries));
  }
}

export type TextEncoding = "utf-8" | "gb18030" | "utf-16le" | "utf-16be";

/** The text has a byte order mark unless its encoding is GB18030. */
export async function writeCsv(
  path: string,
  sheet: Sheet,
  encoding: TextEncoding = "utf-8",
  separator: "," | ";" | "\t" = ",",
): Promise<void> {
  const lines = [...sheet.head, ...sheet.rows].map((row) =>
    row.map((cell) => toField(cell, separator)).join(separator),
  );
  const text = `${lines.join("\r\n")}\r\n`;
  await writeFile(
    path,
    encoding === "gb18030" ? iconv.encode(text, "gb18030") : iconv.encode(`\ufeff${text}`, encoding),
  );
}

function toField(value: CellText, separator: string): string {
  const text = value === null || typeof value === "object" ? "" : String(value);
  return /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
}

type Part = readonly [path: string, content: Iterable<string>];

// Shared strings are written after the sheets, as some programs do, so a reader must use the archive's directory.
function* listParts(sheets: readonly Sheet[], form: BookForm, texts: Map<string, number>): Generator<Part> {
  yield ["_rels/.rels", [`<Relationships>${relation("rId1", "officeDocument", "xl/workbook.xml")}</Relationships>`]];
  yield ["xl/workbook.xml", [workbookXml(sheets)]];
  yield ["xl/_rels/workbook.xml.rels", [workbookRelations(sheets)]];
  yield [
    "xl/styles.xml",
    ['<styleSheet><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'],
  ];
  for (const [index, sheet] of sheets.entries()) {
    yield [`xl/worksheets/sheet${index + 1}.xml`, sheetXml(sheet, form, texts)];
  }
  yield ["xl/sharedStrings.xml", sharedStringsXml(texts)];
  yield ["[Content_Types].xml", ['<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>']];
}

async function* toZipSources(parts: Iterable<Part>): AsyncGenerator<ZipSource> {
  for (const [path, content] of parts) yield { path, chunks: toChunks(content) };
}

async function* toChunks(content: Iterable<string>): AsyncGenerator<Buffer> {
  let text = "";
  for (const piece of content) {
    text += piece;
    if (text.length < CHUNK_CHARS) continue;
    yield Buffer.from(text);
    text = "";
  }
  if (text !== "") yield Buffer.from(text);
}

function workbookXml(sheets: readonly Sheet[]): string {
  const elements = sheets.map((sheet, index) => {
    return `<sheet name="${escapeXml(sheet.name)}" sheetId="${index + 1}" r:id="rId${index + FIRST_RELATION}"/>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?><workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${elements.join("")}</sheets></workbook>`;
}

function workbookRelations(sheets: readonly Sheet[]): string {
  const targets = sheets.map((_, index) =>
    relation(`rId${index + FIRST_RELATION}`, "worksheet", `worksheets/sheet${index + 1}.xml`),
  );
  return `<Relationships>${relation("rId1", "sharedStrings", "sharedStrings.xml")}${relation("rId2", "styles", "styles.xml")}${targets.join("")}</Relationships>`;
}

function relation(id: string, kind: string, target: string): string {
  return `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}"/>`;
}

type CellWriter = (value: string) => string;

function* sheetXml(sheet: Sheet, form: BookForm, texts: Map<string, number>): Generator<string> {
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<worksheet xmlns="${MAIN}"><dimension ref="${form.dimension ?? "A1"}"/>`;
  const hidden = (sheet.hiddenColumns ?? []).map(
    (column) => `<col min="${column + 1}" max="${column + 1}" width="9" hidden="true"/>`,
  );
  yield `${hidden.length === 0 ? "" : `<cols>${hidden.join("")}</cols>`}<sheetData>`;
  const writeText = chooseTextWriter(form, texts);
  let row = 0;
  for (const cells of [sheet.head, sheet.rows]) for (const line of cells) yield rowXml(line, ++row, writeText);
  const merges = (sheet.merges ?? []).map((area) => `<mergeCell ref="${area}"/>`);
  yield `</sheetData>${merges.length === 0 ? "" : `<mergeCells>${merges.join("")}</mergeCells>`}</worksheet>`;
}

const letters: string[] = [];

function rowXml(cells: readonly CellText[], row: number, writeText: CellWriter): string {
  let xml = `<row r="${row}">`;
  for (let column = 0; column < cells.length; column++) {
    const start = `<c r="${(letters[column] ??= columnLetters(column))}${row}"`;
    const value = cells[column];
    if (value === null || value === undefined || value === "") xml += `${start} s="0"></c>`;
    else if (typeof value === "object") xml += `${start}${madeCell(value)}</c>`;
    else if (typeof value === "number") xml += `${start}><v>${writeNumber(value)}</v></c>`;
    else xml += `${start}${writeText(value)}</c>`;
  }
  return `${xml}</row>`;
}

function madeCell(cell: MadeCell): string {
  const element = (name: string, text: string): string => `<${name}>${escapeXml(text)}</${name}>`;
  if ("raw" in cell) return `>${element("v", cell.raw)}`;
  if ("error" in cell) return ` t="e">${element("v", cell.error)}`;
  const { formula, saved } = cell;
  const type = typeof saved === "string" ? ' t="str"' : "";
  return `${type}>${element("f", formula)}${saved === undefined ? "" : element("v", String(saved))}`;
}

// Integers are written as in the exports of 2020: 5 as 5.0.
function writeNumber(value: number): string {
  return Number.isSafeInteger(value) ? `${value}.0` : String(value);
}

// A million rows share a few thousand texts, so the first encoded texts are cached, up to this number.
const ENCODED_AT_MOST = 50_000;

function chooseTextWriter(form: BookForm, texts: Map<string, number>): CellWriter {
  if (form.strings === "shared") {
    return (text) => {
      const index = texts.get(text) ?? texts.size;
      texts.set(text, index);
      return ` t="s"><v>${index}</v>`;
    };
  }
  const encoded = new Map<string, string>();
  return (text) => {
    const known = encoded.get(text);
    if (known !== undefined) return known;
    const cell = ` s="0" t="inlineStr"><is><t>${escapeAscii(escapeXml(text))}</t></is>`;
    if (encoded.size < ENCODED_AT_MOST) encoded.set(text, cell);
    return cell;
  };
}

function* sharedStringsXml(texts: ReadonlyMap<string, number>): Generator<string> {
  yield `<?xml version="1.0" encoding="UTF-8"?><sst xmlns="${MAIN}">`;
  for (const text of texts.keys()) yield `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`;
  yield "</sst>";
}

function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#xa;");
}

function escapeAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`);
}
