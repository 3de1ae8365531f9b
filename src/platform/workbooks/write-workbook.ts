import { Readable } from "node:stream";
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
import { type ZipSource, streamZip } from "./zip-stream.ts";

/** A sheet of a few rows behind the others. */
export type SmallSheet = {
  readonly sheetName: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
};

type RowBatches = AsyncIterable<readonly (readonly Cell[])[]> | Iterable<readonly (readonly Cell[])[]>;

type WorkbookPlan = {
  readonly sheetName: string;
  readonly columns: readonly Column[];
  /** Batches of 500 to 2,000 rows: one wait a batch, not one a row, is what makes a cursor fast. */
  readonly rows: RowBatches;
  readonly last?: SmallSheet;
};

/** The headers of a workbook, which is saved under a name, given without its ending. */
export const workbookHeaders = (name: string): Record<string, string> => ({
  "content-type": workbookMime,
  "content-disposition": /^[\w-]+$/.test(name)
    ? `attachment; filename="${name}.xlsx"`
    : `attachment; filename*=UTF-8''${encodeURIComponent(name)}.xlsx`,
});

const LAST_ROW = 1_048_576;
// Excel takes no streamed file of 4 GiB or more inside a workbook; the margin is more than one row can hold.
const MAX_SHEET_BYTES = 3 * 1024 ** 3;
// The deflater asks for the next one from its own thread, so others are served after each.
const CHUNK_CHARS = 128 * 1024;

/**
 * Writes a workbook while its rows arrive, in constant memory, whatever their number: after 1,048,575
 * rows a new sheet begins, `name_2`, with the heading again. The heading row is frozen and has filters.
 *
 * The stream reads the rows only as fast as it is read itself. If it is destroyed, the rows' iterator is returned as soon
 * as a batch under way has arrived.
 *
 * Text that starts like a formula keeps its characters: the cell is a string with the text format and
 * quotePrefix (Excel's own leading apostrophe, kept outside the value), so neither opening nor editing it
 * runs anything in Excel, LibreOffice or WPS, and the text reads back as it was typed. A real apostrophe
 * or tab in front would change phone numbers (+86 …) and plain dashes for good.
 *
 * Errors: whatever the rows throw destroys the stream.
 */
export function writeWorkbook(plan: WorkbookPlan): Readable {
  const stop = new AbortController();
  const rows = openRows(plan.rows);
  const bytes = streamZip(listEntries(plan, rows, stop.signal), stop.signal);
  const stream = new Readable({
    highWaterMark: 256 * 1024,
    read: () =>
      void bytes.next().then(
        ({ done, value }) => stream.push(done ? null : value),
        (error) => stream.destroy(error),
      ),
    destroy(error, done) {
      stop.abort(error ?? undefined);
      void rows.close();
      done(error);
    },
  });
  return stream;
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
    /** Whether there is another row; waits for the batch that holds it. */
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
    /** Tells the producer, once, that no more is wanted: its `return()` runs as soon as no batch is under way. */
    async close(): Promise<void> {
      if (isOver) return;
      isOver = true;
      // Nobody is left to hear that the rows would not close.
      const end = async (): Promise<unknown> => iterator.return?.();
      await underway.then(end, end).catch(() => undefined);
    },
  };
}

/**
 * The workbook that people download to fill in and send back: a column for each heading, under its
 * preferred text, as wide as the text needs. Columns have the text format, so that identity cards and
 * phone numbers keep every digit, unless a heading says "number". `example` is a row that shows how to fill it in.
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
