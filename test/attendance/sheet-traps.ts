import type { CellText, Sheet } from "#test/attendance/book-file.ts";

// These functions edit an export as people do before they send it. A function that removes or moves rows or columns
// drops the merged areas, which would no longer fit.

export function deleteColumn(sheet: Sheet, heading: string): Sheet {
  const column = findColumn(sheet, heading);
  return mapRows(sheet, (row) => row.toSpliced(column, 1));
}

export function moveColumn(sheet: Sheet, heading: string, to: number): Sheet {
  const column = findColumn(sheet, heading);
  return mapRows(sheet, (row) => row.toSpliced(column, 1).toSpliced(to, 0, row[column] ?? null));
}

export function addBlankColumn(sheet: Sheet, at: number): Sheet {
  return mapRows(sheet, (row) => row.toSpliced(at, 0, null));
}

export function renameHeading(sheet: Sheet, heading: string, text: string | null): Sheet {
  findColumn(sheet, heading);
  return { ...sheet, head: sheet.head.map((row) => row.map((cell) => (cell === heading ? text : cell))) };
}

export function removeTitleRows(sheet: Sheet): Sheet {
  const { merges: _, ...rest } = sheet;
  return { ...rest, head: sheet.head.slice(2) };
}

export function mapColumn(sheet: Sheet, heading: string, change: (cell: CellText, row: number) => CellText): Sheet {
  const column = findColumn(sheet, heading);
  const rows = [...sheet.rows].map((cells, row) =>
    cells.map((cell, index) => (index === column ? change(cell, row) : cell)),
  );
  return { ...sheet, rows };
}

/** A spreadsheet program turns a numeric text into a number when somebody types it again. */
export const textAsNumbers = (sheet: Sheet, heading: string): Sheet =>
  mapColumn(sheet, heading, (cell) => (typeof cell === "string" && /^\d+$/.test(cell) ? Number(cell) : cell));

function findColumn(sheet: Sheet, heading: string): number {
  const column = sheet.head.map((row) => row.indexOf(heading)).find((index) => index !== -1);
  if (column === undefined) throw new Error(`The sheet has no heading ${heading}`);
  return column;
}

function mapRows(sheet: Sheet, change: (row: readonly CellText[]) => readonly CellText[]): Sheet {
  const { merges: _, hiddenColumns: __, ...rest } = sheet;
  const head = sheet.head.map((row) => (row.length <= 1 ? row : change(row)));
  return { ...rest, head, rows: [...sheet.rows].map(change) };
}
