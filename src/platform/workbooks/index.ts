export { readTable, type TableRequest, type TableRow } from "./read-table.ts";
export {
  DEFAULT_LIMITS,
  type SpreadsheetDetails,
  SpreadsheetError,
  type SpreadsheetLimits,
  type SpreadsheetReason,
} from "./spreadsheet-error.ts";
export { attachmentHeaders, type SmallSheet, workbookHeaders, writeTemplate, writeWorkbook } from "./write-workbook.ts";
export { openZip, type ZipSource } from "./zip-stream.ts";
export type { Heading } from "./headings.ts";
export type { CellValue } from "./raw-row.ts";
export type { Cell, Column } from "./sheet-xml.ts";
