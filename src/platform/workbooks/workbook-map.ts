import { posix } from "node:path";
import type { Archive } from "./archive.ts";
import { isDateFormat } from "./cell-reader.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";
import { readAttribute, scanXml, type XmlHandler } from "./xml.ts";

interface SheetEntry {
  readonly name: string;
  readonly path: string;
  readonly isVisible: boolean;
}

/** Where the parts of a workbook are, and what its cell formats mean. */
export interface WorkbookMap {
  readonly sheets: readonly SheetEntry[];
  readonly sharedStringsPath: string | undefined;
  readonly startsIn1904: boolean;
  /** By a cell's `s` attribute: true if its format shows a date or a time. */
  readonly dateStyles: readonly boolean[];
}

interface Relation {
  readonly kind: string;
  readonly path: string;
}

// Far above what any program writes, far below what could hurt: there is one of each for a format in use.
const MAX_FORMATS = 65_536;
const MAX_SHEETS = 1024;

/** Errors: `SpreadsheetError` "open-document", "binary-workbook" or "not-a-workbook" for another kind of archive, "damaged". */
export async function readWorkbookMap(archive: Archive): Promise<WorkbookMap> {
  const workbookPath = findPath(archive, await readRelations(archive, ""), "officeDocument");
  if (workbookPath === undefined) throw explainArchive(archive);
  if (workbookPath.endsWith(".bin")) throw new SpreadsheetError("binary-workbook");
  const relations = await readRelations(archive, workbookPath);
  const stylesPath = findPath(archive, relations, "styles");
  return {
    ...(await readWorkbook(archive, workbookPath, relations)),
    sharedStringsPath: findPath(archive, relations, "sharedStrings"),
    dateStyles: stylesPath === undefined ? [] : await readDateStyles(archive, stylesPath),
  };
}

function explainArchive({ entries }: Archive): SpreadsheetError {
  const isOpenDocument = entries.has("mimetype") && entries.has("content.xml");
  return new SpreadsheetError(isOpenDocument ? "open-document" : "not-a-workbook");
}

type Relations = ReadonlyMap<string, Relation>;

/** Where the first part of a kind is, if the archive holds it. */
function findPath({ entries }: Archive, relations: Relations, kind: string): string | undefined {
  const path = [...relations.values()].find((relation) => relation.kind === kind)?.path;
  return path !== undefined && entries.has(path) ? path : undefined;
}

/** Hands each opening tag of a part to `open`. */
const scanTags = (archive: Archive, path: string, open: XmlHandler["open"], close?: (name: string) => void) =>
  scanXml(archive.readEntry(path), { open, ...(close ? { close } : {}) });

async function readRelations(archive: Archive, source: string): Promise<Relations> {
  const folder = posix.dirname(source);
  const path = posix.join(folder, "_rels", `${posix.basename(source)}.rels`);
  const relations = new Map<string, Relation>();
  if (!archive.entries.has(path)) return relations;
  await scanTags(archive, path, (name, attributes) => {
    if (name !== "Relationship" || relations.size >= MAX_FORMATS) return;
    const [id, type, target] = ["Id", "Type", "Target"].map((key) => readAttribute(attributes, key));
    if (id === undefined || type === undefined || target === undefined) return;
    const targetPath = target.startsWith("/") ? target.slice(1) : posix.normalize(posix.join(folder, target));
    relations.set(id, { kind: type.slice(type.lastIndexOf("/") + 1), path: targetPath });
  });
  return relations;
}

async function readWorkbook(archive: Archive, path: string, relations: Relations) {
  const sheets: SheetEntry[] = [];
  let startsIn1904 = false;
  await scanTags(archive, path, (name, attributes) => {
    if (name === "workbookPr") startsIn1904 = /^(?:1|true)$/.test(readAttribute(attributes, "date1904") ?? "");
    if (name !== "sheet" || sheets.length >= MAX_SHEETS) return;
    const relation = relations.get(readRelationId(attributes) ?? "");
    const isVisible = (readAttribute(attributes, "state") ?? "visible") === "visible";
    const sheetName = readAttribute(attributes, "name") ?? "";
    if (relation?.kind === "worksheet") sheets.push({ name: sheetName, path: relation.path, isVisible });
  });
  return { sheets, startsIn1904 };
}

// The prefix of r:id is the writer's choice, so any prefix is taken.
function readRelationId(attributes: string): string | undefined {
  const prefix = /\s(\w+):id\s*=/.exec(attributes)?.[1];
  return prefix === undefined ? undefined : readAttribute(attributes, `${prefix}:id`);
}

async function readDateStyles(archive: Archive, path: string): Promise<boolean[]> {
  const customFormats = new Map<number, string>();
  const dateStyles: boolean[] = [];
  let isCellFormats = false;
  const open: XmlHandler["open"] = (name, attributes) => {
    if (name === "cellXfs") isCellFormats = true;
    else if (name === "numFmt" && customFormats.size < MAX_FORMATS)
      customFormats.set(Number(readAttribute(attributes, "numFmtId")), readAttribute(attributes, "formatCode") ?? "");
    else if (name === "xf" && isCellFormats && dateStyles.length < MAX_FORMATS) {
      const format = Number(readAttribute(attributes, "numFmtId") ?? 0);
      dateStyles.push(isDateFormat(format, customFormats.get(format)));
    }
  };
  await scanTags(archive, path, open, (name) => void (name === "cellXfs" && (isCellFormats = false)));
  return dateStyles;
}
