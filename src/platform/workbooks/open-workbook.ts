import { stat } from "node:fs/promises";
import { openArchive } from "./archive.ts";
import type { Archive } from "./archive.ts";
import { openCsvSource } from "./csv-source.ts";
import { checkFileKind } from "./file-kind.ts";
import type { SpreadsheetLimits } from "./limits.ts";
import type { SheetSource } from "./raw-row.ts";
import { readSharedStrings } from "./shared-strings.ts";
import { openSheetSource } from "./sheet-source.ts";
import { readWorkbookMap } from "./workbook-map.ts";

/** A sheet of a file, which can be opened any number of times. */
export interface SheetFile {
  /** "" for CSV text. */
  readonly name: string;
  readonly isVisible: boolean;
  readonly packedBytes: number;
  open(): SheetSource;
}

export interface OpenWorkbook {
  readonly kind: "xlsx" | "csv";
  readonly bytes: number;
  /** In the workbook's order; CSV text is one sheet. */
  readonly sheets: readonly SheetFile[];
  close(): void;
}

/** Opens an .xlsx workbook or CSV text. Which it is, the content says, never the name. Errors: `SpreadsheetError`. */
export async function openWorkbook(path: string, limits: SpreadsheetLimits): Promise<OpenWorkbook> {
  const kind = await checkFileKind(path, limits);
  const { size: bytes } = await stat(path);
  if (kind === "csv") {
    const sheet = { name: "", isVisible: true, packedBytes: bytes, open: () => openCsvSource(path, bytes, limits) };
    return { kind, bytes, sheets: [sheet], close: () => undefined };
  }
  const archive = await openArchive(path, limits);
  try {
    return { kind, bytes, sheets: await listSheets(archive, limits), close: () => archive.close() };
  } catch (error) {
    archive.close();
    throw error;
  }
}

async function listSheets(archive: Archive, limits: SpreadsheetLimits): Promise<SheetFile[]> {
  const map = await readWorkbookMap(archive);
  const shared = map.sharedStringsPath;
  const sharedStrings = shared === undefined ? undefined : await readSharedStrings(archive.readEntry(shared), limits);
  const context = { archive, map, sharedStrings, limits };
  return map.sheets.map(({ name, path, isVisible }) => ({
    name,
    isVisible,
    packedBytes: archive.entries.find((entry) => entry.name === path)?.packedBytes ?? 0,
    open: () => openSheetSource(path, context),
  }));
}
