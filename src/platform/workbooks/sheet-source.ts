import type { Archive } from "./archive.ts";
import { openCellReader } from "./cell-reader.ts";
import { readByteOrderMark } from "./text-encoding.ts";
import type { SpreadsheetLimits } from "./limits.ts";
import type { RawRow, SheetSource } from "./raw-row.ts";
import { openSheetScanner } from "./sheet-scan.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";
import type { TextStore } from "./text-store.ts";
import type { WorkbookMap } from "./workbook-map.ts";

export interface SheetContext {
  readonly archive: Archive;
  readonly map: WorkbookMap;
  readonly sharedStrings: TextStore | undefined;
  readonly limits: SpreadsheetLimits;
}

/** The rows of one sheet of a workbook. */
export function openSheetSource(path: string, { archive, map, sharedStrings, limits }: SheetContext): SheetSource {
  const { dateStyles, startsIn1904 } = map;
  let emit: (row: RawRow) => void = () => undefined;
  const scanner = openSheetScanner({ limits, dateStyles, onRow: (row) => emit(row) });
  const total = archive.entries.find((entry) => entry.name === path)?.unpackedBytes ?? 1;
  return {
    ...openCellReader({ startsIn1904, sharedStrings, limits }),
    choose: scanner.choose,
    isHidden: scanner.isHidden,
    async *run(onRow) {
      emit = onRow;
      let read = 0;
      for await (const chunk of archive.readEntry(path)) {
        if (read === 0 && readByteOrderMark(chunk) !== undefined) throw new SpreadsheetError("format", "bad-encoding");
        scanner.push(chunk.toString("latin1"));
        read += chunk.length;
        yield read / total;
      }
      scanner.end();
    },
  };
}
