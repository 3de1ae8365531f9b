import type { Bilingual, Language } from "#platform/contract/language.ts";
import { Problem } from "#platform/contract/problem.ts";
import { describeFileFault, SpreadsheetError } from "./spreadsheet-error.ts";

/** An invalid row of an import; `row` is the sheet's row number. */
export interface RowFault extends Bilingual {
  readonly row: number;
  readonly field: string;
}

/** An import stops after this many invalid rows. */
export const maxFaults = 100;

/** Rejects an import because of invalid rows. */
export class FaultyRows extends Error {
  readonly faults: readonly RowFault[];
  constructor(faults: readonly RowFault[]) {
    super("invalid rows");
    this.faults = faults;
  }
}

/** @throws {FaultyRows} with the first faults, if any. */
export function refuseFaulty(faults: readonly RowFault[]): void {
  if (faults.length > 0) throw new FaultyRows(faults.slice(0, maxFaults));
}

export const someRowsAreFaulty: Bilingual = {
  zh: "部分行数据有误，未导入任何数据",
  en: "Some rows are invalid; nothing was imported",
};

export const toErrors = (faults: readonly RowFault[], language: Language) =>
  faults.map(({ row, field, ...says }) => ({ row, field, message: says[language] }));

/** Maps an import error to the problem that the caller sees; returns unexpected errors unchanged. */
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

// Lets a test pause an import in the middle; unset in production.

let importHook: (() => Promise<void>) | undefined;

/** Runs the hook after each batch of rows of every import. */
export const setImportHook = (pass: (() => Promise<void>) | undefined): void => void (importHook = pass);

export const runImportHook = (): Promise<void> | undefined => importHook?.();
