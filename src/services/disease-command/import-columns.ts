import type * as z from "zod";
import { compileReader } from "#platform/contract/input.ts";
import type { Bilingual } from "#platform/contract/language.ts";
import { Problem } from "#platform/contract/problem.ts";
import type { CopyValue } from "#platform/database/index.ts";
import type { Heading } from "#platform/workbooks/headings.ts";
import type { RowFault } from "#platform/workbooks/import-problems.ts";
import type { CellValue } from "#platform/workbooks/raw-row.ts";
import type { TableRow } from "#platform/workbooks/read-table.ts";

export type ImportColumns = Readonly<
  Record<string, { readonly heading: string; readonly schema: z.ZodType; readonly type?: "text" | "number" }>
>;

export const toHeadings = <C extends ImportColumns>(columns: C): Heading<keyof C & string>[] =>
  Object.entries(columns).map(([key, { heading, schema, type = "text" }]) => ({
    key: key as keyof C & string,
    texts: [heading],
    required: schema._zod.optin === undefined,
    type,
  }));

const isMissing: Bilingual = { zh: "不能为空", en: "must not be empty" };

export function compileRow<C extends ImportColumns>(columns: C) {
  const cells = Object.entries(columns).map(([key, { heading, schema }]) => {
    const isOptional = schema._zod.optin !== undefined;
    return { key, heading, isOptional, read: compileReader(schema, { source: "text" }) };
  });
  return ({ row, cells: found }: TableRow<keyof C & string>, faults: RowFault[]): CopyValue[] | undefined => {
    const before = faults.length;
    const values = cells.map(({ key, heading, isOptional, read }) => {
      const complain = (says: Bilingual): null => {
        faults.push({ row, field: heading, ...says });
        return null;
      };
      const text = toText(found[key]);
      if (text === "") return isOptional ? null : complain(isMissing);
      try {
        return read(text) as CopyValue;
      } catch (error) {
        if (!(error instanceof Problem) || !error.extras.detail) throw error;
        return complain(error.extras.detail);
      }
    });
    return faults.length === before ? values : undefined;
  };
}

/** A date with a time is cut to the date, since no import has times. */
function toText(value: CellValue | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "object") return String(value).trim();
  return "date" in value ? value.date.slice(0, 10) : value.error;
}
