import { SpreadsheetError } from "#platform/spreadsheet/index.ts";
import { checkLayout, findLayout, kindOfName, LAST_HEADING_ROW } from "./layout.ts";
import { SHEET_NAMES } from "./parts.ts";
import { MONTH_HEADING } from "./problems.ts";
import type { Layout, TextRow } from "./layout.ts";
import type { DayRange, KnownSheet, ReadOrder, SheetKind } from "./parts.ts";
import type { RowSource } from "./raw-row.ts";

/** A sheet of the file, which can be opened any number of times. */
export interface SheetFile {
  readonly name: string;
  readonly packedBytes: number;
  open(): RowSource;
}

export interface FoundSheet {
  readonly file: SheetFile;
  readonly kind: SheetKind;
  readonly layout: Layout;
  /** Other sheets that say the same and are not read. */
  readonly alike: readonly string[];
}

export interface FoundSheets {
  readonly found: readonly FoundSheet[];
  /** Sheets that were recognised and are not asked for. */
  readonly others: readonly { readonly sheet: KnownSheet; readonly name: string; readonly range: DayRange | null }[];
  /** yyyy-MM: the one month of the titles, null if no title says one. */
  readonly month: string | null;
}

interface Candidate {
  readonly file: SheetFile;
  readonly isNamed: boolean;
  readonly layout: Layout;
}

/**
 * Finds the sheets by their names, else by their titles and headings.
 * Errors: `SpreadsheetError` "missing-heading" or "double-heading" of a sheet asked for.
 */
export async function findSheets(files: readonly SheetFile[], order: ReadOrder): Promise<FoundSheets> {
  const candidates: Candidate[] = [];
  for (const file of files) {
    const named = kindOfName(file.name);
    const rows = await readFirstRows(file);
    const layout = findLayout(rows, named);
    if (layout !== undefined) candidates.push({ file, isNamed: named !== undefined, layout });
    else if (named !== undefined && named !== "clock-times" && order.sheets.includes(named))
      throw lacksEverything(named, file.name);
  }
  const found = order.sheets.flatMap((kind) => chooseSheet(candidates, kind));
  const others = candidates
    .filter(({ layout }) => !order.sheets.some((kind) => kind === layout.kind))
    .map(({ file, layout }) => ({ sheet: layout.kind, name: file.name, range: layout.range }));
  return { found, others, month: findMonth(found) };
}

/** The month that a title's range lies in; null where it crosses the end of one. */
export function monthOfRange(range: DayRange | null): string | null {
  if (range === null) return null;
  const month = range.start.slice(0, 7);
  return range.end.startsWith(month) ? month : null;
}

async function readFirstRows(file: SheetFile): Promise<TextRow[]> {
  const source = file.open();
  const rows: TextRow[] = [];
  let isEnough = false;
  const take = source.run(({ row, raws, kinds }) => {
    isEnough ||= row > LAST_HEADING_ROW;
    // The rest of the chunk at hand is nobody's business yet.
    if (isEnough) source.choose([]);
    if (!isEnough) rows.push({ row, texts: raws.map((raw, slot) => source.decode(raw, kinds[slot] ?? 0).trim()) });
  });
  for await (const _ of take) if (isEnough) break;
  return rows.filter((row) => row.texts.some((text) => text !== ""));
}

function chooseSheet(candidates: readonly Candidate[], kind: SheetKind): FoundSheet[] {
  const alike = candidates.filter(({ layout }) => layout.kind === kind);
  const chosen =
    alike.find(({ isNamed }) => isNamed) ?? alike.find((candidate) => isSound(candidate, kind)) ?? alike[0];
  if (chosen === undefined) return [];
  checkLayout(chosen.layout, kind, chosen.file.name || SHEET_NAMES[kind]);
  const others = alike
    .filter((candidate) => candidate !== chosen && isSound(candidate, kind))
    .map(({ file }) => file.name);
  return [{ file: chosen.file, kind, layout: chosen.layout, alike: others }];
}

function isSound({ file, layout }: Candidate, kind: SheetKind): boolean {
  try {
    checkLayout(layout, kind, file.name);
    return true;
  } catch {
    return false;
  }
}

function findMonth(found: readonly FoundSheet[]): string | null {
  const months = new Set(found.flatMap(({ layout }) => monthOfRange(layout.range) ?? []));
  const [month = null] = months;
  if (months.size > 1) throw new SpreadsheetError("heading", "double-heading", { headings: [MONTH_HEADING] });
  return month;
}

function lacksEverything(kind: SheetKind, sheet: string): unknown {
  const nothing: Layout = {
    kind,
    range: null,
    lastHeadingRow: 0,
    columns: new Map(),
    slots: [],
    dayLabels: [],
    repeated: [],
  };
  try {
    checkLayout(nothing, kind, sheet);
  } catch (error) {
    return error;
  }
  return new SpreadsheetError("format", "no-sheet", { sheet });
}
