import { open, stat } from "node:fs/promises";
import { posix } from "node:path";
import { findCompoundKind, isCompoundFile } from "#platform/files/compound-file.ts";
import { type Archive, openArchive } from "./archive.ts";
import { isDateFormat } from "./cell-reader.ts";
import { openCsvSource } from "./csv-source.ts";
import { readSharedStrings } from "./shared-strings.ts";
import { openSheetSource } from "./sheet-scan.ts";
import { SpreadsheetError, type SpreadsheetLimits } from "./spreadsheet-error.ts";
import { readByteOrderMark } from "./text-encoding.ts";
import { readAttribute, scanXml, type XmlHandler } from "./xml.ts";

/**
 * Opens a workbook or CSV file; the content determines the kind of file. The sheets are in the workbook's order and can
 * be opened repeatedly; a CSV file has one sheet without a name.
 * @throws {SpreadsheetError}
 */
export async function openWorkbook(path: string, limits: SpreadsheetLimits) {
  const kind = await checkFileKind(path, limits);
  const { size: bytes } = await stat(path);
  if (kind === "csv") {
    const sheet = { name: "", isVisible: true, packedBytes: bytes, open: () => openCsvSource(path, bytes, limits) };
    return { bytes, sheets: [sheet], close: () => undefined };
  }
  const archive = await openArchive(path, limits);
  try {
    const map = await readWorkbookMap(archive);
    const shared = map.sharedStringsPath;
    const sharedStrings = shared === undefined ? undefined : await readSharedStrings(archive.readEntry(shared), limits);
    const context = { archive, ...map, sharedStrings, limits };
    const sheets = map.sheets.map(({ name, path: place, isVisible }) => ({
      name,
      isVisible,
      packedBytes: archive.entries.get(place)?.compressedSize ?? 0,
      open: () => openSheetSource(place, context),
    }));
    return { bytes, sheets, close: () => archive.close() };
  } catch (error) {
    archive.close();
    throw error;
  }
}

export type OpenWorkbook = Awaited<ReturnType<typeof openWorkbook>>;
export type SheetFile = OpenWorkbook["sheets"][number];

const PICTURE = /^(?:\x89PNG|\xff\xd8\xff|GIF8[79]a|RIFF.{4}WEBP|.{4}ftyp(?:hei|mif1|avif))/s;

async function checkFileKind(path: string, limits: SpreadsheetLimits): Promise<"xlsx" | "csv"> {
  await using file = await open(path);
  const { size } = await file.stat();
  if (size === 0) throw new SpreadsheetError("empty");
  if (size > limits.maxFileBytes) throw new SpreadsheetError("file-bytes", { limit: limits.maxFileBytes });
  const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
  const head = buffer.subarray(0, bytesRead);
  if (isCompoundFile(head)) {
    const kind = await findCompoundKind(file);
    if (kind === "encrypted") throw new SpreadsheetError("encrypted");
    throw new SpreadsheetError(kind === "xls" ? "old-xls" : "not-a-workbook");
  }
  if (head.subarray(0, 2).toString("latin1") === "PK" && head.includes(0)) return "xlsx";
  if (PICTURE.test(head.toString("latin1"))) throw new SpreadsheetError("picture");
  if (readByteOrderMark(head) !== undefined) return "csv";
  // Many programs write HTML or XML files with the extension .xls.
  if (/^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|table|meta|\?xml)/i.test(head.toString("latin1")))
    throw new SpreadsheetError("web-page");
  // Text contains no NUL byte, while most binary files contain one near their start.
  if (head.includes(0) || head.subarray(0, 5).toString("latin1") === "%PDF-")
    throw new SpreadsheetError("not-a-workbook");
  return "csv";
}

const MAX_FORMATS = 65_536;
const MAX_SHEETS = 1024;

async function readWorkbookMap(archive: Archive) {
  const workbookPath = findPath(archive, await readRelations(archive, ""), "officeDocument");
  if (workbookPath === undefined) {
    const isOpenDocument = archive.entries.has("mimetype") && archive.entries.has("content.xml");
    throw new SpreadsheetError(isOpenDocument ? "open-document" : "not-a-workbook");
  }
  if (workbookPath.endsWith(".bin")) throw new SpreadsheetError("binary-workbook");
  const relations = await readRelations(archive, workbookPath);
  const stylesPath = findPath(archive, relations, "styles");
  return {
    ...(await readWorkbook(archive, workbookPath, relations)),
    sharedStringsPath: findPath(archive, relations, "sharedStrings"),
    dateStyles: stylesPath === undefined ? [] : await readDateStyles(archive, stylesPath),
  };
}

type Relations = ReadonlyMap<string, { readonly kind: string; readonly path: string }>;

function findPath({ entries }: Archive, relations: Relations, kind: string): string | undefined {
  const path = [...relations.values()].find((relation) => relation.kind === kind)?.path;
  return path !== undefined && entries.has(path) ? path : undefined;
}

async function readRelations(archive: Archive, source: string): Promise<Relations> {
  const folder = posix.dirname(source);
  const path = posix.join(folder, "_rels", `${posix.basename(source)}.rels`);
  const relations = new Map<string, { kind: string; path: string }>();
  if (!archive.entries.has(path)) return relations;
  const open: XmlHandler["open"] = (name, attributes) => {
    if (name !== "Relationship" || relations.size >= MAX_FORMATS) return;
    const [id, type, target] = ["Id", "Type", "Target"].map((key) => readAttribute(attributes, key));
    if (id === undefined || type === undefined || target === undefined) return;
    const targetPath = target.startsWith("/") ? target.slice(1) : posix.normalize(posix.join(folder, target));
    relations.set(id, { kind: type.slice(type.lastIndexOf("/") + 1), path: targetPath });
  };
  await scanXml(archive.readEntry(path), { open });
  return relations;
}

async function readWorkbook(archive: Archive, path: string, relations: Relations) {
  const sheets: { readonly name: string; readonly path: string; readonly isVisible: boolean }[] = [];
  let startsIn1904 = false;
  const open: XmlHandler["open"] = (name, attributes) => {
    if (name === "workbookPr") startsIn1904 = /^(?:1|true)$/.test(readAttribute(attributes, "date1904") ?? "");
    if (name !== "sheet" || sheets.length >= MAX_SHEETS) return;
    // The namespace prefix of the attribute r:id differs between programs.
    const prefix = /\s(\w+):id\s*=/.exec(attributes)?.[1];
    const relation = relations.get((prefix && readAttribute(attributes, `${prefix}:id`)) ?? "");
    const isVisible = (readAttribute(attributes, "state") ?? "visible") === "visible";
    const sheetName = readAttribute(attributes, "name") ?? "";
    if (relation?.kind === "worksheet") sheets.push({ name: sheetName, path: relation.path, isVisible });
  };
  await scanXml(archive.readEntry(path), { open });
  return { sheets, startsIn1904 };
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
  await scanXml(archive.readEntry(path), {
    open,
    close: (name) => void (name === "cellXfs" && (isCellFormats = false)),
  });
  return dateStyles;
}
