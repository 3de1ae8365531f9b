import { startsLikeFormula, toTextElement } from "./cell-text.ts";

/** One value to write. A string stays text whatever it looks like; null and undefined leave the cell empty. */
export type Cell = string | number | bigint | boolean | null | undefined;

/**
 * A column to write.
 * - `width` in characters of the standard font.
 * - `type` "text" writes every value as text; "number" also writes decimal text such as "12.50" (how
 *   PostgreSQL numerics arrive) as a number; left out, the JavaScript type decides.
 */
export type Column = {
  readonly header: string;
  readonly width?: number;
  readonly type?: "text" | "number";
};

/** Turns rows of one sheet into XML. Row numbers count from 1. */
export type RowWriter = {
  writeHeading(): string;
  writeRow(rowNumber: number, row: readonly Cell[]): string;
};

/** Positions of the cell formats in the workbook's style table; see workbook-parts.ts. */
export const STYLE = { plain: 0, text: 1, quotedText: 2, heading: 3, quotedHeading: 4 } as const;

// Excel keeps 15 digits of a number: a longer one would come back changed, so it is written as text.
const EXACT_DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const MAX_EXACT_DIGITS = 15;

type ColumnPlan = { readonly opening: string; readonly type: Column["type"] };

/** Prepares the writer for the columns of a sheet. Values beyond the last column are left out. */
export function openRowWriter(columns: readonly Column[]): RowWriter {
  const plans = columns.map((column, index): ColumnPlan => ({
    opening: `<c r="${columnLetters(index)}`,
    type: column.type,
  }));
  return {
    writeHeading: () => writeHeadingRow(plans, columns),
    writeRow: (rowNumber, row) => writeDataRow(plans, rowNumber, row),
  };
}

/** Column 0 is A, 26 is AA. */
export function columnLetters(index: number): string {
  const head = index >= 26 ? columnLetters(Math.floor(index / 26) - 1) : "";
  return head + String.fromCharCode(65 + (index % 26));
}

function writeHeadingRow(plans: readonly ColumnPlan[], columns: readonly Column[]): string {
  const cells = plans.map((plan, index) => {
    const header = columns[index]?.header ?? "";
    const style = startsLikeFormula(header) ? STYLE.quotedHeading : STYLE.heading;
    return textCell(plan.opening, 1, style, header);
  });
  return `<row r="1">${cells.join("")}</row>`;
}

function writeDataRow(plans: readonly ColumnPlan[], rowNumber: number, row: readonly Cell[]): string {
  let xml = `<row r="${rowNumber}">`;
  for (let index = 0; index < plans.length; index++) {
    const value = row[index];
    const plan = plans[index];
    if (value === null || value === undefined || value === "" || plan === undefined) continue;
    xml += writeCell(plan, rowNumber, value);
  }
  return `${xml}</row>`;
}

function writeCell(plan: ColumnPlan, rowNumber: number, value: NonNullable<Cell>): string {
  if (typeof value === "boolean" && plan.type !== "text") {
    return `${plan.opening}${rowNumber}" t="b"><v>${value ? 1 : 0}</v></c>`;
  }
  if (isWrittenAsNumber(value, plan.type)) return `${plan.opening}${rowNumber}"><v>${value}</v></c>`;
  const text = typeof value === "string" ? value : String(value);
  const style = startsLikeFormula(text) ? STYLE.quotedText : STYLE.text;
  return textCell(plan.opening, rowNumber, style, text);
}

function isWrittenAsNumber(value: string | number | bigint | boolean, type: Column["type"]): boolean {
  if (type === "text") return false;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "bigint") return isExactDecimal(value.toString());
  return type === "number" && typeof value === "string" && isExactDecimal(value);
}

function isExactDecimal(text: string): boolean {
  if (text.length > MAX_EXACT_DIGITS + 2 || !EXACT_DECIMAL.test(text)) return false;
  return text.replace(/[-.]/g, "").length <= MAX_EXACT_DIGITS;
}

// Inline strings, not a shared table: a table must be kept in memory until the last row is written.
function textCell(opening: string, rowNumber: number, style: number, text: string): string {
  return `${opening}${rowNumber}" s="${style}" t="inlineStr"><is>${toTextElement(text)}</is></c>`;
}
