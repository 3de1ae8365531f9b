import type { FileAnswer } from "#platform/contract/endpoint.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { Problem } from "#platform/contract/problem.ts";
import { toRange } from "#platform/contract/sorting.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Turns } from "#platform/jobs/turns.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { workbookHeaders } from "#platform/workbooks/index.ts";
import type { endpoints, ImportSheet } from "#services/attendance/contract.ts";
import { toCovered } from "#services/attendance/coverage.ts";
import { toImportProblem } from "#services/attendance/import/import-problems.ts";
import { findImport, listImports } from "#services/attendance/import/import-store.ts";
import { importWorkbook } from "#services/attendance/import/import.ts";
import { writeSheetTemplate } from "#services/attendance/import/templates.ts";
import { toImport, toWaring } from "./wire-rows.ts";

type Endpoints = typeof endpoints;
type Imports = Pick<
  Handlers<Endpoints>,
  | "importMonth"
  | "importOriginal"
  | "importWork"
  | "listImports"
  | "findImport"
  | "readMonthTemplate"
  | "readOriginalTemplate"
  | "readWorkTemplate"
>;

export function importHandlers(platform: Platform, turns: Turns): Imports {
  const zone = platform.settings.TIME_ZONE;

  return {
    importMonth: { withoutTransaction: (call) => importSheet(call, "month") },
    importOriginal: { withoutTransaction: (call) => importSheet(call, "original") },
    importWork: { withoutTransaction: (call) => importSheet(call, "work") },

    listImports: async ({ db, query, language }) => {
      const { curPage: currPage, pageSize, month, sheet } = query;
      const { rows, totalCount } = await listImports(db, {
        month,
        sheet,
        ...toRange(query),
      });
      return toPage(
        rows.map((row) => toImport(row, zone, language)),
        totalCount,
        { currPage, pageSize },
      );
    },

    findImport: async ({ db, params, language }) => {
      const row = await findImport(db, params.id);
      if (!row) throw new Problem("notFound");
      return toImport(row, zone, language);
    },

    readMonthTemplate: () => sendTemplate("month"),
    readOriginalTemplate: () => sendTemplate("original"),
    readWorkTemplate: () => sendTemplate("work"),
  };

  type ImportCall = Pick<Call<Endpoints["importMonth"]>, "file" | "fields" | "language" | "transact" | "audit">;

  async function importSheet({ file, fields, language, transact, audit }: ImportCall, sheet: ImportSheet) {
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

  async function sendTemplate(sheet: ImportSheet): Promise<FileAnswer> {
    const presentMonth = formatDateTime(new Date(platform.clock()), zone).slice(0, 7);
    return {
      headers: workbookHeaders(`${sheet}-template`),
      stream: writeSheetTemplate(sheet, presentMonth),
    };
  }
}
