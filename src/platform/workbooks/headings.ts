import { toNormalForm } from "#platform/contract/storable-text.ts";
import type { CellValue } from "./raw-row.ts";
import { SpreadsheetError } from "./spreadsheet-error.ts";

/** A column to read. `texts` are the accepted headings, with the preferred one first. */
export type Heading<Key extends string = string> = {
  readonly key: Key;
  readonly texts: readonly string[];
  readonly required: boolean;
  /** The column may be missing if the column of the heading with this key is present. */
  readonly unless?: Key;
  /** The column's type in a template. The default "text" preserves every digit of an identity card number. */
  readonly type?: "text" | "number";
};

export type ValueRow = { readonly row: number; readonly values: readonly (CellValue | undefined)[] };

export const LAST_HEADING_ROW = 10;

/**
 * Finds the first row that contains every required heading.
 * @throws {SpreadsheetError} "double-heading" if two columns have the same key; "missing-heading", naming the missing
 * headings of the row that lacks the fewest
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

const MAX_HEADING_CHARS = 100;

/** Normalises width, case and spaces. An empty result means that the text is not a heading. */
export const normalizeHeading = (text: string): string =>
  (toNormalForm(text, MAX_HEADING_CHARS) ?? "").replace(/\s+/g, "").toLowerCase();

const preferredText = ({ texts, key }: Heading): string => texts[0] ?? key;
