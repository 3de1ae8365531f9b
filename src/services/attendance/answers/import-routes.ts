import type { FileAnswer } from "#platform/contract/endpoint.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toRange } from "#platform/contract/sorting.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { type Db, longLimits, setLimits } from "#platform/database/index.ts";
import type { HeldFiles } from "#platform/files/held-files.ts";
import type { ArrivedFile } from "#platform/files/upload.ts";
import { openTurns, type Turns } from "#platform/jobs/turns.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { toWorkbookLimits } from "#platform/workbooks/configured-limits.ts";
import { workbookHeaders } from "#platform/workbooks/index.ts";
import type { endpoints, ImportSheet } from "#services/attendance/contract.ts";
import { toCovered } from "#services/attendance/coverage.ts";
import { toImportProblem } from "#services/attendance/import/import-problems.ts";
import { findImport, listImports } from "#services/attendance/import/import-store.ts";
import { importWorkbook } from "#services/attendance/import/import.ts";
import { recogniseWorkbook } from "#services/attendance/import/recognise.ts";
import { writeSheetTemplate } from "#services/attendance/import/templates.ts";
import { toImport, toPromised, toWaring } from "./wire-rows.ts";

type Endpoints = typeof endpoints;
type Imports = Pick<
  Handlers<Endpoints>,
  | "importMonth"
  | "importOriginal"
  | "importWork"
  | "recognise"
  | "importUpload"
  | "listImports"
  | "findImport"
  | "readMonthTemplate"
  | "readOriginalTemplate"
  | "readWorkTemplate"
>;

// A look takes a thread as an import does, though not for long: it is not to wait for one.
const mostLooksAtOnce = 2;

export function importHandlers(platform: Platform, turns: Turns, held: HeldFiles): Imports {
  const zone = platform.settings.TIME_ZONE;
  const looks = openTurns({ atOnce: mostLooksAtOnce });

  return {
    importMonth: { withoutTransaction: (call) => importSheet(call, "month") },
    importOriginal: { withoutTransaction: (call) => importSheet(call, "original") },
    importWork: { withoutTransaction: (call) => importSheet(call, "work") },

    recognise: {
      withoutTransaction: async ({ file, caller, language }) => {
        try {
          const { imports, told } = await looks.take(() =>
            recogniseWorkbook(file.path, toWorkbookLimits(platform.settings)),
          );
          return {
            upload: imports.length > 0 ? held.hold(file, String(caller.accountId)) : "",
            imports: imports.map(toPromised),
            waring: toWaring(told, language),
          };
        } catch (error) {
          throw toImportProblem(error, language);
        }
      },
    },

    importUpload: {
      withoutTransaction: async (call) => {
        const { upload, sheet, ...fields } = call.body;
        const file = held.find(upload, String(call.caller.accountId));
        if (!file) throw fileIsGone();
        try {
          return await importSheet({ ...call, file, fields, transact: (work) => call.transact(within(work)) }, sheet);
        } finally {
          await file.end();
        }
      },
    },

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

  interface ImportCall extends Pick<Call<Endpoints["importMonth"]>, "fields" | "language" | "transact" | "audit"> {
    readonly file: ArrivedFile;
  }

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

/** Gives work the time that a write with a workbook of its own has from the start. */
const within =
  <T>(work: (tx: Db) => Promise<T>) =>
  async (tx: Db): Promise<T> => {
    await setLimits(tx, longLimits, "transaction");
    return work(tx);
  };

const fileIsGone = (): Problem =>
  explain(
    "notFound",
    "upload: 服务器没有或已不再保留此文件，请重新上传",
    "upload: the file is not, or no longer, kept here; send it again",
  );
