import { Readable } from "node:stream";
import { workbookMime } from "#platform/contract/endpoint.ts";
import { type Cell, type Column, openRowWriter } from "./sheet-xml.ts";
import {
  type Part,
  buildLeadingParts,
  buildSheetHead,
  buildSheetTail,
  buildTrailingParts,
  nameSheet,
} from "./workbook-parts.ts";
import { type ZipSource, streamZip } from "./zip-stream.ts";
import { buffer } from "node:stream/consumers";
import type { Heading } from "./headings.ts";

/** A sheet of a few rows behind the others. */
export type SmallSheet = {
  readonly sheetName: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
};

export type WorkbookPlan = {
  readonly sheetName: string;
  readonly columns: readonly Column[];
  /** Batches of rows; 500 to 2,000 rows a batch is a good size. */
  readonly rows: RowBatches;
  readonly last?: SmallSheet;
  readonly signal?: AbortSignal;
  /** Rows below the heading of one sheet; for tests. Default and most: 1,048,575. */
  readonly maxRowsPerSheet?: number;
};

/** The headers of a workbook, which is saved under a name, given without its ending. */
export const workbookHeaders = (name: string): Record<string, string> => ({
  "content-type": workbookMime,
  "content-disposition": /^[\w-]+$/.test(name)
    ? `attachment; filename="${name}.xlsx"`
    : `attachment; filename*=UTF-8''${encodeURIComponent(name)}.xlsx`,
});

const MAX_ROWS_PER_SHEET = 1_048_575;
// Excel takes no streamed file of 4 GiB or more inside a workbook; the margin is more than one row can hold.
const MAX_SHEET_BYTES = 3 * 1024 ** 3;
// The deflater asks for the next one from its own thread, so others are served after each.
const CHUNK_CHARS = 128 * 1024;

/**
 * Writes a workbook while its rows arrive, in constant memory, whatever their number: after 1,048,575
 * rows a new sheet begins, `name_2`, with the heading again. The heading row is frozen and has filters.
 *
 * The stream reads the rows only as fast as it is read itself. If it is destroyed, or `signal` aborts,
 * the rows' iterator is returned as soon as a batch under way has arrived.
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
  const rows = openRowSource(plan.rows);
  const bytes = streamZip(listEntries(plan, rows, stop.signal), stop.signal);
  const stream = new Readable({
    highWaterMark: 256 * 1024,
    read: () => void bytes.next().then(pushNext, (error) => stream.destroy(error)),
    destroy(error, done) {
      stop.abort(error ?? undefined);
      plan.signal?.removeEventListener("abort", abandon);
      void freeRows(rows);
      done(error);
    },
  });
  const pushNext = (result: IteratorResult<Buffer>): void => void stream.push(result.done ? null : result.value);
  const abandon = (): void => void stream.destroy(toError(plan.signal?.reason));
  if (plan.signal?.aborted) abandon();
  else plan.signal?.addEventListener("abort", abandon, { once: true });
  return stream;
}

// Nobody is left to hear that the rows would not close.
async function freeRows(rows: RowSource): Promise<void> {
  await rows.close().catch(() => undefined);
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("The export was stopped");
}

type Progress = {
  batch: readonly (readonly Cell[])[];
  position: number;
  isOver: boolean;
};

async function* listEntries(plan: WorkbookPlan, rows: RowSource, signal: AbortSignal): AsyncGenerator<ZipSource> {
  const progress: Progress = { batch: [], position: 0, isOver: false };
  yield* buildLeadingParts().map(toSource);
  const names: string[] = [];
  do {
    names.push(nameSheet(plan.sheetName, names.length + 1));
    yield { path: `xl/worksheets/sheet${names.length}.xml`, chunks: writeSheet(plan, rows, progress, signal) };
  } while (await hasMoreRows(rows, progress));
  if (plan.last) {
    names.push(nameSheet(plan.last.sheetName, 1));
    yield toSource({ path: `xl/worksheets/sheet${names.length}.xml`, text: writeSmallSheet(plan.last) });
  }
  yield* buildTrailingParts(names).map(toSource);
}

const toSource = ({ path, text }: Part): ZipSource => ({ path, chunks: Readable.from([Buffer.from(text)]) });

function writeSmallSheet({ columns, rows }: SmallSheet): string {
  const writer = openRowWriter(columns);
  const lines = rows.map((row, index) => writer.writeRow(index + 2, row));
  return buildSheetHead(columns) + writer.writeHeading() + lines.join("") + buildSheetTail(columns, rows.length + 1);
}

async function* writeSheet(
  plan: WorkbookPlan,
  rows: RowSource,
  progress: Progress,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const writer = openRowWriter(plan.columns);
  const lastRow = Math.min(plan.maxRowsPerSheet ?? MAX_ROWS_PER_SHEET, MAX_ROWS_PER_SHEET) + 1;
  let rowNumber = 1;
  let sheetBytes = 0;
  let xml = buildSheetHead(plan.columns) + writer.writeHeading();
  while (rowNumber < lastRow && sheetBytes < MAX_SHEET_BYTES && (await hasMoreRows(rows, progress))) {
    while (rowNumber < lastRow && progress.position < progress.batch.length && xml.length < CHUNK_CHARS) {
      rowNumber += 1;
      xml += writer.writeRow(rowNumber, progress.batch[progress.position] ?? []);
      progress.position += 1;
    }
    if (xml.length < CHUNK_CHARS) continue;
    const chunk = Buffer.from(xml);
    xml = "";
    sheetBytes += chunk.length;
    yield chunk;
    if (signal.aborted) return;
  }
  yield Buffer.from(xml + buildSheetTail(plan.columns, rowNumber));
}

async function hasMoreRows(rows: RowSource, progress: Progress): Promise<boolean> {
  if (progress.position < progress.batch.length) return true;
  if (progress.isOver) return false;
  const batch = await rows.nextBatch();
  progress.batch = batch ?? [];
  progress.position = 0;
  progress.isOver = batch === undefined;
  return !progress.isOver;
}

/** Rows arrive in batches: one wait a batch, not one a row, is what makes a cursor fast. */
export type RowBatches = AsyncIterable<readonly (readonly Cell[])[]> | Iterable<readonly (readonly Cell[])[]>;

export type RowSource = {
  /** The next batch that holds a row, or undefined after the last one. */
  nextBatch(): Promise<readonly (readonly Cell[])[] | undefined>;
  /** Tells the producer, once, that no more is wanted: its `return()` runs as soon as no batch is under way. */
  close(): Promise<void>;
};

/** Opens the batches for reading. `close` waits for a batch that is under way before it calls `return()`. */
export function openRowSource(batches: RowBatches): RowSource {
  const iterator = Symbol.asyncIterator in batches ? batches[Symbol.asyncIterator]() : batches[Symbol.iterator]();
  let underway: Promise<unknown> = Promise.resolve();
  let isOver = false;
  const pull = async (): Promise<readonly (readonly Cell[])[] | undefined> => {
    while (!isOver) {
      const result = await iterator.next();
      if (result.done) isOver = true;
      else if (result.value.length > 0) return result.value;
    }
    return undefined;
  };
  return {
    nextBatch() {
      const batch = pull();
      underway = batch.catch(() => (isOver = true));
      return batch;
    },
    async close() {
      if (isOver) return;
      isOver = true;
      await underway;
      await iterator.return?.();
    },
  };
}

export type TemplateOptions<Key extends string> = {
  readonly sheetName: string;
  /** A row that shows how to fill the sheet in. */
  readonly example?: { readonly [K in Key]?: Cell };
};

/**
 * The workbook that people download to fill in and send back: a column for each heading, under its
 * preferred text, as wide as the text needs. Columns have the text format, so that identity cards and
 * phone numbers keep every digit, unless a heading says "number"; numbers typed there read back as text.
 */
export function writeTemplate<Key extends string>(
  headings: readonly Heading<Key>[],
  { sheetName, example }: TemplateOptions<Key>,
): Promise<Buffer> {
  const columns = headings.map((heading) => {
    const header = heading.texts[0] ?? heading.key;
    return { header, width: Math.max(12, header.length * 2 + 4), type: heading.type ?? "text" };
  });
  const rows = example === undefined ? [] : [[headings.map((heading) => example[heading.key])]];
  return buffer(writeWorkbook({ sheetName, columns, rows }));
}
