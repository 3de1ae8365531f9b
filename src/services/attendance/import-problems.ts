import type { Bilingual, Language } from "#platform/language.ts";
import { Problem } from "#platform/problem.ts";
import { describeFileFault, toFileProblem } from "#platform/file-fault.ts";
import { SpreadsheetError } from "#platform/spreadsheet/index.ts";
import { FaultyRows } from "./copy-workbook.ts";
import type { RowFault } from "./import-store.ts";
import { needsMonth } from "./workbook/index.ts";

const monthMissing: Bilingual = {
  zh: "month: 统计日期不在同一个月内，请填写 yyyy-MM",
  en: "month: the title's days are not those of one month, so it must be given as yyyy-MM",
};

const describeFault = (error: SpreadsheetError): Bilingual =>
  needsMonth(error) ? monthMissing : describeFileFault(error);

/** What an import failed of, to be kept beside it: in both languages, since nobody knows yet who reads it. */
export function describeFailure(error: unknown): { reason: Bilingual; faults: readonly RowFault[] } {
  if (error instanceof FaultyRows)
    return {
      reason: { zh: "部分行有误，未导入任何数据", en: "Some rows are at fault; nothing was imported" },
      faults: error.faults,
    };
  if (error instanceof SpreadsheetError) return { reason: describeFault(error), faults: [] };
  if (error instanceof Problem && error.extras.detail) return { reason: error.extras.detail, faults: [] };
  return { reason: { zh: "系统未知异常", en: "Unknown system error" }, faults: [] };
}

/** Row faults as they go out. */
export const toErrors = (faults: readonly RowFault[], language: Language) =>
  faults.map(({ row, field, ...says }) => ({ row, field, message: says[language] }));

/** The problem that the caller of an import is told; anything unforeseen as it is. */
export function toImportProblem(error: unknown, language: Language): unknown {
  if (error instanceof FaultyRows)
    return new Problem("importFailed", {
      detail: describeFailure(error).reason,
      data: { errors: toErrors(error.faults, language) },
    });
  if (!(error instanceof SpreadsheetError)) return error;
  return needsMonth(error) ? new Problem("badFormat", { detail: monthMissing }) : toFileProblem(error);
}
