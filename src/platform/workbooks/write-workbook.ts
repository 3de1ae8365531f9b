import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { workbookMime } from "#platform/contract/endpoint.ts";
import type { Heading } from "./headings.ts";
import { type Cell, type Column, openRowWriter } from "./sheet-xml.ts";
import {
  buildLeadingParts,
  buildSheetHead,
  buildSheetTail,
  buildTrailingParts,
  nameSheet,
  toPart,
} from "./workbook-parts.ts";
import { openZip, type ZipSource } from "./zip-stream.ts";

export type SmallSheet = {
  readonly sheetName: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
};

type RowBatches = AsyncIterable<readonly (readonly Cell[])[]> | Iterable<readonly (readonly Cell[])[]>;

type WorkbookPlan = {
  readonly sheetName: string;
  readonly columns: readonly Column[];
  /** The batches should have 500 to 2,000 rows, because the writer waits once per batch. */
  readonly rows: RowBatches;
  readonly last?: SmallSheet;
};

export const workbookHeaders = (name: string): Record<string, string> =>
  attachmentHeaders(`${name}.xlsx`, workbookMime);

export const attachmentHeaders = (fileName: string, mime: string): Record<string, string> => ({
  "content-type": mime,
  "content-disposition": /^[\w.-]+$/.test(fileName)
    ? `attachment; filename="${fileName}"`
    : `attachment; filename*=UTF-8''${encodeURIComponent(fileName)}`,
});

const LAST_ROW = 1_048_576;
// Excel refuses a streamed part of 4 GiB or more. This limit is lower by more than the size of one row.
const MAX_SHEET_BYTES = 3 * 1024 ** 3;
// Rows are written in chunks of this size, between which other requests are served.
const CHUNK_CHARS = 128 * 1024;

/**
 * Writes a workbook in constant memory as its rows arrive. After 1,048,575 rows or 3 GiB, a new sheet `name_2` begins.
 * Rows are read with back pressure; destroying the stream closes the rows' iterator after the current batch, and an
 * error of the rows destroys the stream. Text that starts like a formula is written as a text cell with quotePrefix,
 * which is Excel's own apostrophe outside the value, so that Excel, LibreOffice and WPS neither evaluate nor alter the
 * text. An apostrophe in the value would corrupt phone numbers (+86 …).
 */
export function writeWorkbook(plan: WorkbookPlan): Readable {
  const rows = openRows(plan.rows);
  return openZip(
    (signal) => listEntries(plan, rows, signal),
    () => rows.close(),
  );
}

async function* listEntries(plan: WorkbookPlan, rows: Rows, signal: AbortSignal): AsyncGenerator<ZipSource> {
  yield* buildLeadingParts();
  const names: string[] = [];
  do {
    names.push(nameSheet(plan.sheetName, names.length + 1));
    yield { path: `xl/worksheets/sheet${names.length}.xml`, chunks: writeSheet(plan, rows, signal) };
  } while (await rows.hasMore());
  if (plan.last) {
    names.push(nameSheet(plan.last.sheetName, 1));
    const { columns, rows: few } = plan.last;
    const writer = openRowWriter(columns);
    const lines = few.map((row, index) => writer.writeRow(index + 2, row)).join("");
    const text = buildSheetHead(columns) + writer.writeHeading() + lines + buildSheetTail(columns, few.length + 1);
    yield toPart(`xl/worksheets/sheet${names.length}.xml`, text);
  }
  yield* buildTrailingParts(names);
}

async function* writeSheet({ columns }: WorkbookPlan, rows: Rows, signal: AbortSignal): AsyncGenerator<Buffer> {
  const writer = openRowWriter(columns);
  let [rowNumber, sheetBytes] = [1, 0];
  let xml = buildSheetHead(columns) + writer.writeHeading();
  while (rowNumber < LAST_ROW && sheetBytes < MAX_SHEET_BYTES && (await rows.hasMore())) {
    while (rowNumber < LAST_ROW && xml.length < CHUNK_CHARS && rows.isHere()) {
      rowNumber += 1;
      xml += writer.writeRow(rowNumber, rows.take());
    }
    if (xml.length < CHUNK_CHARS) continue;
    const chunk = Buffer.from(xml);
    xml = "";
    sheetBytes += chunk.length;
    yield chunk;
    if (signal.aborted) return;
  }
  yield Buffer.from(xml + buildSheetTail(columns, rowNumber));
}

type Rows = ReturnType<typeof openRows>;

function openRows(batches: RowBatches) {
  const iterator = Symbol.asyncIterator in batches ? batches[Symbol.asyncIterator]() : batches[Symbol.iterator]();
  let batch: readonly (readonly Cell[])[] = [];
  let [position, isOver, underway] = [0, false, Promise.resolve()];
  const pull = async (): Promise<void> => {
    const result = await iterator.next();
    if (result.done) isOver = true;
    else [batch, position] = [result.value, 0];
  };
  return {
    async hasMore(): Promise<boolean> {
      for (;;) {
        if (position < batch.length) return true;
        if (isOver) return false;
        underway = pull();
        underway.catch(() => (isOver = true));
        await underway;
      }
    },
    isHere: (): boolean => position < batch.length,
    take: (): readonly Cell[] => batch[position++] ?? [],
    async close(): Promise<void> {
      if (isOver) return;
      isOver = true;
      const end = async (): Promise<unknown> => iterator.return?.();
      await underway.then(end, end).catch(() => undefined);
    },
  };
}

/**
 * Writes a workbook with the headings and at most one sample row. The columns are text, so that identity card and phone
 * numbers keep every digit, unless the heading's type is "number".
 * @param example the sample row
 */
export function writeTemplate<Key extends string>(
  headings: readonly Heading<Key>[],
  { sheetName, example }: { sheetName: string; example?: { readonly [K in Key]?: Cell } },
): Promise<Buffer> {
  const columns = headings.map((heading) => {
    const header = heading.texts[0] ?? heading.key;
    return { header, width: Math.max(12, header.length * 2 + 4), type: heading.type ?? "text" };
  });
  const rows = example === undefined ? [] : [[headings.map((heading) => example[heading.key])]];
  return buffer(writeWorkbook({ sheetName, columns, rows }));
}
