import type { Bilingual, Language } from "#platform/contract/language.ts";
import { Problem } from "#platform/contract/problem.ts";
import { describeFileFault, SpreadsheetError } from "./spreadsheet-error.ts";

export interface RowFault extends Bilingual {
  readonly row: number;
  readonly field: string;
}

export const maxFaults = 100;

export class FaultyRows extends Error {
  readonly faults: readonly RowFault[];
  constructor(faults: readonly RowFault[]) {
    super("invalid rows");
    this.faults = faults;
  }
}

export function refuseFaulty(faults: readonly RowFault[]): void {
  if (faults.length > 0) throw new FaultyRows(faults.slice(0, maxFaults));
}

export const someRowsAreFaulty: Bilingual = {
  zh: "部分行数据有误，未导入任何数据",
  en: "Some rows are invalid, so no data were imported",
};

export const toErrors = (faults: readonly RowFault[], language: Language) =>
  faults.map(({ row, field, ...says }) => ({ row, field, message: says[language] }));

export function toImportProblem(error: unknown, language: Language): unknown {
  if (error instanceof FaultyRows)
    return new Problem("importFailed", {
      detail: someRowsAreFaulty,
      data: { errors: toErrors(error.faults, language) },
    });
  if (!(error instanceof SpreadsheetError)) return error;
  const isTooLarge = ["file-bytes", "unpacked-bytes", "ratio"].includes(error.reason);
  return new Problem(isTooLarge ? "fileTooLarge" : "badFile", { detail: describeFileFault(error) });
}

// In tests, this hook pauses an import after each batch of rows; in production it is not set.

let importHook: (() => Promise<void>) | undefined;

export const setImportHook = (pass: (() => Promise<void>) | undefined): void => void (importHook = pass);

export const runImportHook = (): Promise<void> | undefined => importHook?.();
