import type { Bilingual, Language } from "#platform/contract/language.ts";
import { Problem } from "#platform/contract/problem.ts";
import { describeFileFault, SpreadsheetError } from "./spreadsheet-error.ts";

/** A row that an import cannot take; `row` is the sheet's own number. */
export interface RowFault extends Bilingual {
  readonly row: number;
  readonly field: string;
}

/** How many rows at fault an import names; it looks for no more. */
export const maxFaults = 100;

/** Rows that cannot be taken, so that none is. */
export class FaultyRows extends Error {
  readonly faults: readonly RowFault[];
  constructor(faults: readonly RowFault[]) {
    super("rows are at fault");
    this.faults = faults;
  }
}

/** @throws {FaultyRows} with the first of them, where there are any. */
export function refuseFaulty(faults: readonly RowFault[]): void {
  if (faults.length > 0) throw new FaultyRows(faults.slice(0, maxFaults));
}

export const someRowsAreFaulty: Bilingual = {
  zh: "部分行有误，未导入任何数据",
  en: "Some rows are at fault; nothing was imported",
};

export const toErrors = (faults: readonly RowFault[], language: Language) =>
  faults.map(({ row, field, ...says }) => ({ row, field, message: says[language] }));

/** The problem that the caller of an import is told; anything unforeseen as it is. */
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

// Where a test that is about the middle of an import holds it: nothing else puts anything here.

let importHook: (() => Promise<void>) | undefined;

/** Has every import of the process wait for `pass` after each batch of its rows; undefined lets them run. */
export const setImportHook = (pass: (() => Promise<void>) | undefined): void => void (importHook = pass);

export const runImportHook = (): Promise<void> | undefined => importHook?.();
