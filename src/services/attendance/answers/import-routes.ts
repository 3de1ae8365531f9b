import type { FileAnswer } from "#platform/contract/endpoint.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { Problem } from "#platform/contract/problem.ts";
import { toRange } from "#platform/contract/sorting.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { workbookHeaders } from "#platform/workbooks/index.ts";
import type { ImportSheet, endpoints } from "#services/attendance/contract.ts";
import { findImport, listImports } from "#services/attendance/import/import-store.ts";
import { writeSheetTemplate } from "#services/attendance/import/templates.ts";
import { toImport, toWaring } from "./wire-rows.ts";
import type { ArrivedFile } from "#platform/files/upload.ts";
import type { Turns } from "#platform/jobs/turns.ts";
import { toCovered } from "#services/attendance/coverage.ts";
import { toImportProblem } from "#services/attendance/import/import-problems.ts";
import { importWorkbook } from "#services/attendance/import/import.ts";

type Imports = Pick<
  Handlers<typeof endpoints>,
  | "importMonth"
  | "importOriginal"
  | "importWork"
  | "listImports"
  | "findImport"
  | "readMonthTemplate"
  | "readOriginalTemplate"
  | "readWorkTemplate"
>;

/** The handlers of the imports of a month, and of what they have come to. */
export function importHandlers(place: ImportPlace): Imports {
  const { platform } = place;
  const zone = platform.settings.TIME_ZONE;
  return {
    importMonth: { withoutTransaction: (call) => importSheet(place, call, "month") },
    importOriginal: { withoutTransaction: (call) => importSheet(place, call, "original") },
    importWork: { withoutTransaction: (call) => importSheet(place, call, "work") },

    listImports: async ({ db, query, language }) => {
      const { month, sheet } = query;
      const { rows, totalCount } = await listImports(db, { month, sheet, ...toRange(query) });
      return toPage(
        rows.map((row) => toImport(row, zone, language)),
        totalCount,
        query,
      );
    },

    findImport: async ({ db, params, language }) => {
      const row = await findImport(db, params.id);
      if (!row) throw new Problem("notFound");
      return toImport(row, zone, language);
    },

    readMonthTemplate: () => sendTemplate(platform, "month"),
    readOriginalTemplate: () => sendTemplate(platform, "original"),
    readWorkTemplate: () => sendTemplate(platform, "work"),
  };
}

async function sendTemplate({ settings, clock }: Platform, sheet: ImportSheet): Promise<FileAnswer> {
  const presentMonth = formatDateTime(new Date(clock()), settings.TIME_ZONE).slice(0, 7);
  return {
    headers: workbookHeaders(`${sheet}-template`),
    stream: writeSheetTemplate(sheet, presentMonth),
  };
}

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
