export { checkArchive } from "./archive.ts";
export { isCompoundFile, readCompoundNames } from "./compound-file.ts";
export { DEFAULT_LIMITS } from "./limits.ts";
export { readTable, readTableInBatches } from "./read-table.ts";
export { SpreadsheetError } from "./spreadsheet-error.ts";
export { writeTemplate } from "./write-template.ts";
export { WORKBOOK_MIME, writeWorkbook } from "./write-workbook.ts";
export type { ArchiveEntry, ArchiveLimits } from "./archive.ts";
export type { Heading } from "./headings.ts";
export type { SpreadsheetLimits } from "./limits.ts";
export type { TableRequest, TableRow } from "./read-table.ts";
export type { RowBatches } from "./row-source.ts";
export type { Cell, Column } from "./sheet-xml.ts";
export type { CellValue } from "./sheet-rows.ts";
export type {
  SpreadsheetDetails,
  SpreadsheetProblem,
  SpreadsheetReason,
} from "./spreadsheet-error.ts";
export type { WorkbookPlan } from "./write-workbook.ts";
