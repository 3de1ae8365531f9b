import type { ArrivedFile } from "#platform/files/upload.ts";
import type { Turns } from "#platform/jobs/turns.ts";
import type { Call } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { endpoints, ImportSheet } from "#services/attendance/contract.ts";
import { toCovered } from "#services/attendance/coverage.ts";
import { toImportProblem } from "#services/attendance/import/import-problems.ts";
import { importWorkbook } from "#services/attendance/import/import.ts";
import { toWaring } from "./wire-rows.ts";

/** Where imports take place: so many at once. */
export interface ImportPlace {
  readonly platform: Platform;
  readonly turns: Turns;
}

export interface ImportCall extends Pick<
  Call<(typeof endpoints)["importMonth"]>,
  "fields" | "language" | "transact" | "audit"
> {
  readonly file: ArrivedFile;
}

/** Imports a sheet, and tells what came of it. @throws {Problem} with the rows at fault. */
export async function importSheet(
  { platform, turns }: ImportPlace,
  { file, fields, language, transact, audit }: ImportCall,
  sheet: ImportSheet,
) {
  try {
    const { month, employees, rows, skipped, warnings, spans } = await importWorkbook(platform, turns, {
      sheet,
      file,
      month: fields.month,
      allowEmpty: fields.allowEmpty ?? false,
      transact: (swapped, work) => {
        audit.records = [swapped];
        return transact(work);
      },
    });
    return { waring: toWaring(warnings, language), month, employees, rows, skipped, covered: toCovered(spans) };
  } catch (error) {
    throw toImportProblem(error, language);
  }
}
