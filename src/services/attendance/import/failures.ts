import type { Bilingual, Language } from "#platform/contract/language.ts";
import { Problem } from "#platform/contract/problem.ts";
import {
  FaultyRows,
  type RowFault,
  someRowsAreFaulty,
  toImportProblem as toPlainProblem,
} from "#platform/workbooks/import-problems.ts";
import { describeFileFault, SpreadsheetError } from "#platform/workbooks/spreadsheet-error.ts";
import { needsMonth } from "#services/attendance/workbook/advice.ts";

/** Describes a failure in both languages, since the language of later readers of the import is unknown. */
export function describeFailure(error: unknown): { reason: Bilingual; faults: readonly RowFault[] } {
  if (error instanceof FaultyRows) return { reason: someRowsAreFaulty, faults: error.faults };
  if (error instanceof SpreadsheetError) return { reason: describeFault(error), faults: [] };
  if (error instanceof Problem && error.extras.detail) return { reason: error.extras.detail, faults: [] };
  return { reason: { zh: "系统未知异常", en: "Unknown system error" }, faults: [] };
}

const describeFault = (error: SpreadsheetError): Bilingual =>
  (needsMonth(error) ? error.details.advice : undefined) ?? describeFileFault(error);

export const toImportProblem = (error: unknown, language: Language): unknown =>
  error instanceof SpreadsheetError && needsMonth(error)
    ? new Problem("badFormat", { detail: describeFault(error) })
    : toPlainProblem(error, language);
