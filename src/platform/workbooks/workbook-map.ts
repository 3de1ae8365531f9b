import { posix } from "node:path";
import type { Archive } from "./archive.ts";
import { isDateFormat } from "./serial-date.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";
import { readAttribute, scanXml } from "./xml-scan.ts";

export type SheetEntry = {
  readonly name: string;
  readonly path: string;
  readonly isVisible: boolean;
};

/** Where the parts of a workbook are, and what its cell formats mean. */
export type WorkbookMap = {
  readonly sheets: readonly SheetEntry[];
  readonly sharedStringsPath: string | undefined;
  readonly startsIn1904: boolean;
  /** By a cell's `s` attribute: true if its format shows a date or a time. */
  readonly dateStyles: readonly boolean[];
};

type Relation = { readonly kind: string; readonly path: string };

// Far above what any program writes, far below what could hurt: there is one of each for a format in use.
const MAX_FORMATS = 65_536;
const MAX_SHEETS = 1024;

/** Errors: `SpreadsheetError` "open-document", "binary-workbook" or "not-a-workbook" for another kind of archive, "damaged". */
export async function readWorkbookMap(archive: Archive): Promise<WorkbookMap> {
  const root = await readRelations(archive, "");
  const workbookPath = [...root.values()].find((relation) => relation.kind === "officeDocument")?.path;
  if (workbookPath === undefined || !archive.has(workbookPath)) throw explainArchive(archive);
  if (workbookPath.endsWith(".bin")) throw new SpreadsheetError("format", "binary-workbook");
  const relations = await readRelations(archive, workbookPath);
  const { sheets, startsIn1904 } = await readWorkbook(archive, workbookPath, relations);
  const stylesPath = findPath(relations, "styles");
  const dateStyles =
    stylesPath !== undefined && archive.has(stylesPath) ? await readDateStyles(archive, stylesPath) : [];
  const sharedPath = findPath(relations, "sharedStrings");
  const sharedStringsPath = sharedPath !== undefined && archive.has(sharedPath) ? sharedPath : undefined;
  return { sheets, sharedStringsPath, startsIn1904, dateStyles };
}

function explainArchive(archive: Archive): SpreadsheetError {
  const isOpenDocument = archive.has("mimetype") && archive.has("content.xml");
  return new SpreadsheetError("format", isOpenDocument ? "open-document" : "not-a-workbook");
}

function findPath(relations: ReadonlyMap<string, Relation>, kind: string): string | undefined {
  return [...relations.values()].find((relation) => relation.kind === kind)?.path;
}

async function readRelations(archive: Archive, source: string): Promise<Map<string, Relation>> {
  const folder = posix.dirname(source);
  const path = posix.join(folder, "_rels", `${posix.basename(source)}.rels`);
  const relations = new Map<string, Relation>();
  if (!archive.has(path)) return relations;
  await scanXml(archive.readEntry(path), {
    open(name, attributes) {
      if (name !== "Relationship" || relations.size >= MAX_FORMATS) return;
      const [id, type, target] = ["Id", "Type", "Target"].map((key) => readAttribute(attributes, key));
      if (id === undefined || type === undefined || target === undefined) return;
      const isAbsolute = target.startsWith("/");
      const targetPath = isAbsolute ? target.slice(1) : posix.normalize(posix.join(folder, target));
      relations.set(id, { kind: type.slice(type.lastIndexOf("/") + 1), path: targetPath });
    },
    close: () => undefined,
    text: () => undefined,
  });
  return relations;
}

async function readWorkbook(
  archive: Archive,
  path: string,
  relations: ReadonlyMap<string, Relation>,
): Promise<{ sheets: SheetEntry[]; startsIn1904: boolean }> {
  const sheets: SheetEntry[] = [];
  let startsIn1904 = false;
  await scanXml(archive.readEntry(path), {
    open(name, attributes) {
      if (name === "workbookPr") startsIn1904 = isTrue(readAttribute(attributes, "date1904"));
      if (name !== "sheet" || sheets.length >= MAX_SHEETS) return;
      const relation = relations.get(readRelationId(attributes) ?? "");
      const isVisible = (readAttribute(attributes, "state") ?? "visible") === "visible";
      const sheetName = readAttribute(attributes, "name") ?? "";
      if (relation?.kind === "worksheet") sheets.push({ name: sheetName, path: relation.path, isVisible });
    },
    close: () => undefined,
    text: () => undefined,
  });
  return { sheets, startsIn1904 };
}

// The prefix of r:id is the writer's choice, so any prefix is taken.
function readRelationId(attributes: string): string | undefined {
  const prefix = /\s(\w+):id\s*=/.exec(attributes)?.[1];
  return prefix === undefined ? undefined : readAttribute(attributes, `${prefix}:id`);
}

function isTrue(text: string | undefined): boolean {
  return text === "1" || text === "true";
}

async function readDateStyles(archive: Archive, path: string): Promise<boolean[]> {
  const customFormats = new Map<number, string>();
  const dateStyles: boolean[] = [];
  let isCellFormats = false;
  await scanXml(archive.readEntry(path), {
    open(name, attributes) {
      if (name === "cellXfs") isCellFormats = true;
      else if (name === "numFmt" && customFormats.size < MAX_FORMATS) {
        customFormats.set(Number(readAttribute(attributes, "numFmtId")), readAttribute(attributes, "formatCode") ?? "");
      } else if (name === "xf" && isCellFormats && dateStyles.length < MAX_FORMATS) {
        const format = Number(readAttribute(attributes, "numFmtId") ?? 0);
        dateStyles.push(isDateFormat(format, customFormats.get(format)));
      }
    },
    close: (name) => void (name === "cellXfs" && (isCellFormats = false)),
    text: () => undefined,
  });
  return dateStyles;
}
