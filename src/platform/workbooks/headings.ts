import { toNormalForm } from "#platform/contract/storable-text.ts";
import type { CellValue } from "./raw-row.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";

/** A column that an import knows: `texts` are the headings it may have, the preferred one first. */
export type Heading<Key extends string = string> = {
  readonly key: Key;
  readonly texts: readonly string[];
  readonly required: boolean;
  /** It may be missing after all where the heading of that key is there. */
  readonly unless?: Key;
  /** How a template formats the column; default text, which keeps every digit of an identity card. */
  readonly type?: "text" | "number";
};

/** A row as it is in the sheet: its own number from 1, and its values by column from 0. */
export type ValueRow = { readonly row: number; readonly values: readonly (CellValue | undefined)[] };

/** Headings are looked for in rows 1 to 10: exports put a title and a date above them. */
export const LAST_HEADING_ROW = 10;

/**
 * The first of the rows that holds every required heading: its own number, and the keys by their columns from 0.
 * Errors: `SpreadsheetError` "double-heading" if that row has two columns for one key; "missing-heading", with what the most
 * promising row lacks, if none will do.
 */
export function findHeadingRow<Key extends string>(rows: readonly ValueRow[], headings: readonly Heading<Key>[]) {
  const byText = new Map(
    headings.flatMap((heading) => heading.texts.map((text) => [normalizeHeading(text), heading] as const)),
  );
  let fewest: readonly Heading[] = headings.filter(({ required }) => required);
  for (const { row, values } of rows) {
    const found = values.flatMap((value, column) => {
      const heading = typeof value === "string" ? byText.get(normalizeHeading(value)) : undefined;
      return heading === undefined ? [] : [{ column, heading }];
    });
    const keys = new Set(found.map(({ heading }) => heading.key));
    const lack = headings.filter(
      ({ key, required, unless }) => required && !keys.has(key) && (unless === undefined || !keys.has(unless)),
    );
    if (keys.size > 0 && lack.length === 0) {
      // Which of two holds the truth is not for us to guess.
      const twice = found.find(
        ({ heading }, place) => found.findIndex((one) => one.heading.key === heading.key) < place,
      );
      if (twice) throw new SpreadsheetError("double-heading", { row, headings: [preferredText(twice.heading)] });
      return { row, columns: new Map(found.map(({ column, heading }) => [column, heading.key])) };
    }
    if (lack.length < fewest.length) fewest = lack;
  }
  const missing = fewest.length > 0 ? fewest : headings;
  throw new SpreadsheetError("missing-heading", { headings: missing.map(preferredText) });
}

// Several times the longest heading that any import knows; what is longer is none of them.
const MAX_HEADING_CHARS = 100;

/** Two headings are the same if they differ in full or half width, in case or in spaces only; "" is none. */
export const normalizeHeading = (text: string): string =>
  (toNormalForm(text, MAX_HEADING_CHARS) ?? "").replace(/\s+/g, "").toLowerCase();

const preferredText = ({ texts, key }: Heading): string => texts[0] ?? key;
