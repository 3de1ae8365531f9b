import { createReadStream } from "node:fs";
import { CsvError, parse, type Parser } from "csv-parse";
import { plainCells } from "./cell-reader.ts";
import { KIND, openRowSlots, type RowSlots, type SheetSource } from "./raw-row.ts";
import { SpreadsheetError, type SpreadsheetLimits } from "./spreadsheet-error.ts";
import { decodeText, findEncoding } from "./text-encoding.ts";

const READ_BYTES = 64 * 1024;
const MOST_BYTES_PER_CHAR = 3;

/** Accepts any kind of line ending, and line breaks within quotes. Rows are numbered as in a spreadsheet program. */
export function openCsvSource(path: string, bytesTotal: number, limits: SpreadsheetLimits): SheetSource {
  const slots = openRowSlots(limits);
  return {
    ...plainCells,
    choose: slots.choose,
    isHidden: () => false,
    listMerged: async () => [],
    async *run(onRow) {
      const encoding = await findEncoding(path);
      const file = createReadStream(path, { highWaterMark: READ_BYTES });
      let row = 0;
      const record = (fields: string[]): null => {
        takeRecord(++row, fields, limits, slots);
        if (slots.hasCells()) onRow(slots.row);
        return null;
      };
      let parser: Parser | undefined;
      for await (const text of decodeText(file, encoding)) {
        if (text.includes("\0")) throw new SpreadsheetError("not-a-workbook");
        if (text.includes("\ufffd")) throw new SpreadsheetError("bad-encoding");
        parser ??= parse({
          delimiter: chooseSeparator(text),
          record_delimiter: ["\r\n", "\n", "\r"],
          relax_column_count: true,
          relax_quotes: true,
          max_record_size: limits.maxRowChars * MOST_BYTES_PER_CHAR,
          on_record: record,
        });
        await feed(parser, () => row, text);
        yield file.bytesRead / bytesTotal;
      }
      if (parser) await feed(parser, () => row);
    },
  };
}

/**
 * Chooses the most frequent separator of the first line that has one outside quotes; if two are equally frequent, a
 * comma is preferred to a semicolon, and a semicolon to a tab.
 */
function chooseSeparator(text: string): string {
  const line =
    text
      .replaceAll(/"[^"]*"?/g, "")
      .split("\n")
      .find((one) => /[,;\t]/.test(one)) ?? "";
  const count = (separator: string): number => line.split(separator).length;
  return [",", ";", "\t"].reduce((most, separator) => (count(separator) > count(most) ? separator : most));
}

function feed(parser: Parser, countRows: () => number, text?: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (error: Error): void => {
    if (!(error instanceof CsvError)) return reject(error);
    const reason = error.code === "CSV_QUOTE_NOT_CLOSED" ? "unclosed-quote" : "row-text";
    reject(new SpreadsheetError(reason, { row: countRows() + 1 }));
  };
  parser.once("error", fail);
  if (text === undefined) parser.resume().end(resolve);
  else parser.write(text, () => resolve());
  return promise.finally(() => parser.off("error", fail));
}

function takeRecord(row: number, fields: string[], limits: SpreadsheetLimits, slots: RowSlots): void {
  const { maxRows, maxColumns, maxCellChars, maxRowChars } = limits;
  const refuse = (reason: "rows" | "columns" | "cell-text" | "row-text", limit: number, column?: number): never => {
    throw new SpreadsheetError(reason, { limit, row, ...(column === undefined ? {} : { column }) });
  };
  slots.clear(row);
  if (row > maxRows) refuse("rows", maxRows);
  if (fields.length > maxColumns) refuse("columns", maxColumns);
  let chars = 0;
  for (const [column, field] of fields.entries()) {
    if (field.length > maxCellChars) refuse("cell-text", maxCellChars, column + 1);
    const slot = field === "" ? -1 : slots.find(column);
    if (slot < 0) continue;
    chars += field.length;
    slots.keep(slot, field, KIND.plain);
  }
  if (chars > maxRowChars) refuse("row-text", maxRowChars);
}
