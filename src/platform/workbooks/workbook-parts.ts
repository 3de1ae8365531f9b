import { institutionName } from "#platform/process/institution.ts";
import { type Column, columnLetters, escapeText, STYLE } from "./sheet-xml.ts";
import type { ZipSource } from "./zip-stream.ts";

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const SHEET_NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATION_NAMESPACE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE_NAMESPACE = "http://schemas.openxmlformats.org/package/2006";
const CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";
const DEFAULT_WIDTH = 14;
const MAX_SHEET_NAME_CHARS = 31;

export const toPart = (path: string, text: string): ZipSource => ({ path, chunks: [Buffer.from(text)] });

/**
 * These parts are the first in the archive, because programs that detect types by the start of a file recognise a
 * workbook by them.
 */
export const buildLeadingParts = (): ZipSource[] => [
  toPart("[Content_Types].xml", CONTENT_TYPES),
  toPart("_rels/.rels", buildRelations([["officeDocument", "xl/workbook.xml"]])),
];

export function buildTrailingParts(sheetNames: readonly string[]): ZipSource[] {
  const sheets = sheetNames.map((name, index) => {
    const escaped = escapeText(name).replaceAll('"', "&quot;");
    return `<sheet name="${escaped}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`;
  });
  const workbook =
    `${DECLARATION}<workbook xmlns="${SHEET_NAMESPACE}" xmlns:r="${RELATION_NAMESPACE}">` +
    `<bookViews><workbookView/></bookViews><sheets>${sheets.join("")}</sheets></workbook>`;
  const targets = sheetNames.map((_, index) => ["worksheet", `worksheets/sheet${index + 1}.xml`]);
  return [
    toPart("xl/styles.xml", STYLES),
    toPart("xl/workbook.xml", workbook),
    toPart("xl/_rels/workbook.xml.rels", buildRelations([...targets, ["styles", "styles.xml"]])),
  ];
}

export function buildSheetHead(columns: readonly Column[]): string {
  const elements = columns.map((column, index) => {
    // The whole column has the text format, so that identity card and phone numbers typed below the last row of a
    // template stay text.
    const style = column.type === "text" ? ` style="${STYLE.text}"` : "";
    const width = column.width ?? DEFAULT_WIDTH;
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"${style}/>`;
  });
  const cols = elements.length === 0 ? "" : `<cols>${elements.join("")}</cols>`;
  return (
    `${DECLARATION}<worksheet xmlns="${SHEET_NAMESPACE}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `<sheetFormatPr defaultRowHeight="15"/>${cols}<sheetData>`
  );
}

export function buildSheetTail(columns: readonly Column[], lastRow: number): string {
  const corner = `${columnLetters(Math.max(columns.length - 1, 0))}${lastRow}`;
  return `</sheetData><autoFilter ref="A1:${corner}"/>${buildPageHeader(institutionName())}</worksheet>`;
}

/** In page headers, "&" begins a code, so a literal "&" is doubled. */
const buildPageHeader = (name: string): string =>
  name === ""
    ? ""
    : `<headerFooter><oddHeader>&amp;C${escapeText(name.replaceAll("&", "&&"))}</oddHeader>` +
      "<oddFooter>&amp;C&amp;P / &amp;N</oddFooter></headerFooter>";

/**
 * Spreadsheet programs accept sheet names of 1 to 31 characters, without `[]:*?/\` and without an apostrophe at the
 * start or end.
 */
export function nameSheet(name: string, sheetNumber: number): string {
  const suffix = sheetNumber === 1 ? "" : `_${sheetNumber}`;
  const allowed =
    name
      .replace(/[[\]:*?/\\]/g, " ")
      .replace(/^'+|'+$/g, "")
      .trim() || "Sheet";
  return allowed.slice(0, MAX_SHEET_NAME_CHARS - suffix.length).trimEnd() + suffix;
}

// The five formats are in the order of STYLE. Number format 49 is "@", which means text.
const STYLES =
  `${DECLARATION}<styleSheet xmlns="${SHEET_NAMESPACE}">` +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5">' +
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1"/>' +
  '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>' +
  '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1" applyFont="1"/>' +
  '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

function buildRelations(targets: readonly (readonly string[])[]): string {
  const relations = targets.map(
    ([kind, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${RELATION_NAMESPACE}/${kind}" Target="${target}"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="${PACKAGE_NAMESPACE}/relationships">${relations.join("")}</Relationships>`;
}

// Parts with the extension .xml are sheets by default, so that the number of sheets need not be known in advance.
const CONTENT_TYPES =
  `${DECLARATION}<Types xmlns="${PACKAGE_NAMESPACE}/content-types">` +
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
  `<Default Extension="xml" ContentType="${CONTENT_TYPE}.worksheet+xml"/>` +
  `<Override PartName="/xl/workbook.xml" ContentType="${CONTENT_TYPE}.sheet.main+xml"/>` +
  `<Override PartName="/xl/styles.xml" ContentType="${CONTENT_TYPE}.styles+xml"/></Types>`;
