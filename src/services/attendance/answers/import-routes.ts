import type { FileAnswer } from "#platform/contract/endpoint.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { Problem } from "#platform/contract/problem.ts";
import { toRange } from "#platform/contract/sorting.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { workbookHeaders } from "#platform/workbooks/index.ts";
import type { endpoints, ImportSheet } from "#services/attendance/contract.ts";
import { findImport, listImports } from "#services/attendance/import/import-store.ts";
import { writeSheetTemplate } from "#services/attendance/import/templates.ts";
import { type ImportPlace, importSheet } from "./import-sheet.ts";
import { toImport } from "./wire-rows.ts";

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
