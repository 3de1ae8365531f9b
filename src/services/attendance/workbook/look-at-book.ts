import { describeFileFault } from "#platform/workbooks/spreadsheet-error.ts";
import { SpreadsheetError } from "#platform/workbooks/index.ts";
import type { SheetFile } from "#platform/workbooks/open-workbook.ts";
import type { SheetSource } from "#platform/workbooks/raw-row.ts";
import { chooseSheets, lookAtSheets } from "./find-sheets.ts";
import type { FoundSheets, LookedAt } from "./find-sheets.ts";
import type { BookPlace, DayRange, SheetKind } from "./parts.ts";
import { openBook } from "./read-book.ts";
import type { Bilingual } from "#platform/contract/language.ts";

/** Sheets that are read together; the first must be there. */
export type SheetWish = readonly [SheetKind, ...SheetKind[]];

export interface LookOrder extends BookPlace {
  readonly wishes: readonly SheetWish[];
}

/** What reading the sheets of a wish would begin with: their days, or what would be said of the file. */
export type Prospect =
  | {
      readonly is: "found";
      /** The days of the title; null without one. */
      readonly range: DayRange | null;
      /** yyyy-MM: the one month of the titles; null where they say none, or days of several. */
      readonly month: string | null;
    }
  | { readonly is: "missing" | "faulty"; readonly says: Bilingual };

/** Reads the beginnings of the sheets, once for all wishes. Errors: `SpreadsheetError` of the file. */
export async function* lookAtBook({ wishes, ...place }: LookOrder): AsyncGenerator<readonly Prospect[]> {
  const book = await openBook(place);
  try {
    const looked = await lookAtSheets(book.sheets.map(cutShort));
    yield wishes.map((wish) => toProspect(looked, wish));
  } finally {
    book.close();
  }
}

// Of 64 KiB each in a workbook: whatever has no heading in 16 MiB is nothing that a look may take its time over.
const MOST_PIECES = 256;

const cutShort = (file: SheetFile): SheetFile => ({ ...file, open: () => boundPieces(file.open()) });

const boundPieces = (source: SheetSource): SheetSource => ({
  ...source,
  async *run(onRow) {
    let pieces = 0;
    for await (const fraction of source.run(onRow)) {
      if (++pieces > MOST_PIECES) throw new SpreadsheetError("memory");
      yield fraction;
    }
  },
});

function toProspect(looked: LookedAt, wish: SheetWish): Prospect {
  try {
    return describe(chooseSheets(looked, { sheets: wish, needed: [wish[0]] }), wish);
  } catch (error) {
    if (!(error instanceof SpreadsheetError)) throw error;
    return { is: error.reason === "no-sheet" ? "missing" : "faulty", says: describeFileFault(error) };
  }
}

const describe = ({ found, month }: FoundSheets, [needed]: SheetWish): Prospect => ({
  is: "found",
  range: found.find(({ kind }) => kind === needed)?.layout.range ?? null,
  month,
});
