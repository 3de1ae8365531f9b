import { isUtf8 } from "node:buffer";
import type { Archive } from "#platform/workbooks/archive.ts";
import { readCsvRows } from "#platform/workbooks/csv-rows.ts";
import { SpreadsheetError } from "#platform/workbooks/index.ts";
import type { CellValue, SpreadsheetLimits } from "#platform/workbooks/index.ts";
import { toDateText } from "#platform/workbooks/serial-date.ts";
import { boundText, unescapeText } from "#platform/workbooks/shared-strings.ts";
import type { TextStore } from "#platform/workbooks/text-store.ts";
import type { WorkbookMap } from "#platform/workbooks/workbook-map.ts";
import { resolveReferences } from "#platform/workbooks/xml-scan.ts";
import { KIND } from "./raw-row.ts";
import type { CellDecoder, RawRow, RowSource } from "./raw-row.ts";
import { openSheetScanner, RAW_CHARS_PER_CHAR } from "./sheet-scan.ts";

// oxlint-disable-next-line no-control-regex -- bytes beyond ASCII are what the test is for
const NOT_ASCII = /[^\0-\x7f]/;

export interface SheetContext {
  readonly archive: Archive;
  readonly map: WorkbookMap;
  readonly sharedStrings: TextStore | undefined;
  readonly limits: SpreadsheetLimits;
}

/** The rows of one sheet of a workbook. Can be run once. */
export function openSheetSource(path: string, context: SheetContext): RowSource {
  const { archive, map, limits } = context;
  let emit: (row: RawRow) => void = () => undefined;
  const scanner = openSheetScanner({ limits, dateStyles: map.dateStyles, onRow: (row) => emit(row) });
  const total = archive.entries.find((entry) => entry.name === path)?.unpackedBytes ?? 1;
  return {
    decode: openDecoder(context),
    choose: (columns) => scanner.choose(columns),
    isHidden: (column) => scanner.isHidden(column),
    async *run(onRow) {
      emit = onRow;
      let read = 0;
      for await (const chunk of archive.readEntry(path)) {
        scanner.push(chunk.toString("latin1"));
        read += chunk.length;
        yield read / total;
      }
      scanner.end();
    },
  };
}

/** The rows of CSV text, which have no title's sheet name and no formats. */
export function openCsvSource(path: string, bytesTotal: number, limits: SpreadsheetLimits): RowSource {
  const choice: { columns: ReadonlySet<number> | undefined } = { columns: undefined };
  let chosen: readonly number[] | undefined;
  return {
    decode: (raw, _kind, mostChars = Infinity) => (raw.length > mostChars ? "" : raw),
    isHidden: () => false,
    choose(columns) {
      chosen = columns;
      choice.columns = new Set(columns);
    },
    async *run(onRow) {
      let read = 0;
      for await (const rows of readCsvRows(path, limits, choice, (bytes) => (read = bytes))) {
        for (const { row, cells } of rows) {
          const places = chosen ?? Array.from({ length: Math.max(...cells.keys()) + 1 }, (_, column) => column);
          const raws = places.map((column) => toPlainText(cells.get(column)));
          if (raws.some((raw) => raw !== ""))
            onRow({ row, raws, kinds: raws.map((raw) => (raw === "" ? KIND.empty : KIND.plain)), hasLost: false });
        }
        yield read / bytesTotal;
      }
    },
  };
}

// CSV text gives texts only.
function toPlainText(value: CellValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function openDecoder({ map, sharedStrings, limits }: SheetContext): CellDecoder {
  return (raw, kind, mostChars = limits.maxCellChars) => {
    if (kind === KIND.shared) return sharedStrings?.get(Number(raw), mostChars) ?? "";
    if (raw.length > mostChars * RAW_CHARS_PER_CHAR && mostChars < limits.maxCellChars) return "";
    if (kind === KIND.inline) return boundText(unescapeText(resolveReferences(readUtf8(raw))), limits.maxCellChars);
    if (kind === KIND.number) return readNumber(raw, limits.maxCellChars);
    if (kind === KIND.dateNumber)
      return toDateText(Number(raw), map.startsIn1904) ?? readNumber(raw, limits.maxCellChars);
    if (kind === KIND.empty) return "";
    return boundText(resolveReferences(readUtf8(raw)), limits.maxCellChars);
  };
}

// "5.0" is 5, and a long identifier that somebody turned into a number is written out.
function readNumber(raw: string, maxChars: number): string {
  const number = Number(raw);
  if (!Number.isFinite(number)) return boundText(resolveReferences(readUtf8(raw)), maxChars);
  return Number.isInteger(number) && Math.abs(number) < 1e21 ? BigInt(number).toString() : String(number);
}

function readUtf8(raw: string): string {
  if (!NOT_ASCII.test(raw)) return raw;
  const bytes = Buffer.from(raw, "latin1");
  if (!isUtf8(bytes)) throw new SpreadsheetError("format", "bad-encoding");
  return bytes.toString();
}
