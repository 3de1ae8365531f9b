import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import type { FileAnswer } from "#platform/contract/endpoint.ts";
import { type ImportColumns, toHeadings } from "#platform/workbooks/import.ts";
import { type Cell, workbookHeaders, writeTemplate } from "#platform/workbooks/index.ts";

/** The workbook that an import takes, with a row that shows how to fill it in. */
export async function sendTemplate<C extends ImportColumns>(
  { method }: Pick<FastifyRequest, "method">,
  name: string,
  columns: C,
  example: { readonly [K in keyof C & string]?: Cell },
): Promise<FileAnswer> {
  const headers = workbookHeaders(name);
  if (method === "HEAD") return { headers };
  return { stream: Readable.from([await writeTemplate(toHeadings(columns), { sheetName: name, example })]), headers };
}
