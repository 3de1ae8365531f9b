import { toNormalForm } from "#platform/contract/normal-form.ts";
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

export type HeadingRow<Key extends string = string> = {
  /** The sheet's own row number. */
  readonly row: number;
  /** Column number from 0 → key. */
  readonly columns: ReadonlyMap<number, Key>;
};

/** A row as it is in the sheet: its own number from 1, and its values by column from 0. */
export type ValueRow = { readonly row: number; readonly values: readonly (CellValue | undefined)[] };

/** Headings are looked for in rows 1 to 10: exports put a title and a date above them. */
export const LAST_HEADING_ROW = 10;

/**
 * The first of the rows that holds every required heading; undefined if none does.
 * Errors: `SpreadsheetError` "double-heading" if that row has two columns for one key.
 */
export function findHeadingRow<Key extends string>(
  rows: readonly ValueRow[],
  headings: readonly Heading<Key>[],
): HeadingRow<Key> | undefined {
  for (const row of rows) {
    const matches = matchHeadings(row, headings);
    const keys = new Set(matches.map(({ heading }) => heading.key));
    if (keys.size > 0 && !headings.some((heading) => isLacking(heading, keys))) {
      return toHeadingRow(row, matches);
    }
  }
  return undefined;
}

const isLacking = <Key extends string>({ key, required, unless }: Heading<Key>, keys: ReadonlySet<Key>): boolean =>
  required && !keys.has(key) && (unless === undefined || !keys.has(unless));

/** What to tell the sender when no row will do: the headings that the most promising row lacks. */
export function describeMissing(rows: readonly ValueRow[], headings: readonly Heading[]): SpreadsheetError {
  const required = headings.filter((heading) => heading.required);
  const lacks = rows.map((row) => {
    const keys = new Set(matchHeadings(row, headings).map((match) => match.heading.key));
    return required.filter((heading) => isLacking(heading, keys));
  });
  const fewest = lacks.reduce((best, lack) => (lack.length < best.length ? lack : best), required);
  const missing = fewest.length > 0 ? fewest : headings;
  return new SpreadsheetError("missing-heading", {
    headings: missing.map(preferredText),
  });
}

// Several times the longest heading that any import knows; what is longer is none of them.
const MAX_HEADING_CHARS = 100;

/** Two headings are the same if they differ in full or half width, in case or in spaces only; "" is none. */
export function normalizeHeading(text: string): string {
  return (toNormalForm(text, MAX_HEADING_CHARS) ?? "").replace(/\s+/g, "").toLowerCase();
}

type Match<Key extends string> = { readonly column: number; readonly heading: Heading<Key> };

function matchHeadings<Key extends string>(row: ValueRow, headings: readonly Heading<Key>[]): Match<Key>[] {
  const byText = new Map<string, Heading<Key>>();
  for (const heading of headings) {
    for (const text of heading.texts) byText.set(normalizeHeading(text), heading);
  }
  return row.values.flatMap((value, column) => {
    const heading = typeof value === "string" ? byText.get(normalizeHeading(value)) : undefined;
    return heading === undefined ? [] : [{ column, heading }];
  });
}

function toHeadingRow<Key extends string>(row: ValueRow, matches: readonly Match<Key>[]): HeadingRow<Key> {
  const columns = new Map<number, Key>();
  const seen = new Set<Key>();
  for (const { column, heading } of matches) {
    // Which of the two holds the truth is not for us to guess.
    if (seen.has(heading.key)) {
      throw new SpreadsheetError("double-heading", {
        row: row.row,
        headings: [preferredText(heading)],
      });
    }
    seen.add(heading.key);
    columns.set(column, heading.key);
  }
  return { row: row.row, columns };
}

function preferredText(heading: Heading): string {
  return heading.texts[0] ?? heading.key;
}
