import { streamXlsxRows } from "hucre/xlsx";

/** The rows of a workbook's first sheet. */
export async function readSheet(bytes: Buffer): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const { values } of streamXlsxRows(bytes)) rows.push(values);
  return rows;
}
