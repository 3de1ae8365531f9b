import { buffer } from "node:stream/consumers";
import type { Heading } from "./headings.ts";
import type { Cell } from "./sheet-xml.ts";
import { writeWorkbook } from "./write-workbook.ts";

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
