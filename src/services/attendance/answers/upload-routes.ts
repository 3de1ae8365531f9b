import { explain, type Problem } from "#platform/contract/problem.ts";
import type { HeldFiles } from "#platform/files/held-files.ts";
import { openTurns } from "#platform/jobs/turns.ts";
import type { Handlers } from "#platform/process/handler.ts";
import { toWorkbookLimits } from "#platform/workbooks/limits.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { toImportProblem } from "#services/attendance/import/import-problems.ts";
import { recogniseWorkbook } from "#services/attendance/import/recognise.ts";
import { type ImportPlace, importSheet } from "./import-routes.ts";
import { toPromised, toWaring } from "./wire-rows.ts";

type Uploads = Pick<Handlers<typeof endpoints>, "recognise" | "importUpload">;

// A look takes a thread as an import does, though not for long: it is not to wait for one.
const mostLooksAtOnce = 2;

/** The handlers of workbooks that are looked at first, and held until a sheet of them is imported. */
export function uploadHandlers(place: ImportPlace, held: HeldFiles): Uploads {
  const limits = toWorkbookLimits(place.platform.settings);
  const looks = openTurns({ atOnce: mostLooksAtOnce });
  return {
    recognise: {
      withoutTransaction: async ({ file, caller, language }) => {
        try {
          const { imports, told } = await looks.take(() => recogniseWorkbook(file.path, limits));
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
          return await importSheet(place, { ...call, file, fields }, sheet);
        } finally {
          await file.end();
        }
      },
    },
  };
}

const fileIsGone = (): Problem =>
  explain(
    "notFound",
    "upload: 服务器没有或已不再保留此文件，请重新上传",
    "upload: the file is not, or no longer, kept here; send it again",
  );
