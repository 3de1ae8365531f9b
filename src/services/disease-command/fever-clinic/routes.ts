import type { Turns } from "#platform/jobs/turns.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { refuseFaulty } from "#platform/workbooks/import-problems.ts";
import { compileRead, takeTurn } from "#services/disease-command/record-store.ts";
import { found, keepRecords } from "#services/disease-command/records.ts";
import { openImport, sendTemplate } from "#services/disease-command/workbook.ts";
import type { feverClinicEndpoints } from "./contract.ts";
import { feverClinics, replaceFeverClinics, replaceFromSheet, writeLast } from "./store.ts";
import { feverClinicBook } from "./workbook.ts";

type Endpoints = typeof feverClinicEndpoints;

export function feverClinicHandlers(platform: Platform, turns: Turns): Handlers<Endpoints> {
  const { settings } = platform;
  const { page, update, remove } = keepRecords(feverClinics, settings);
  const readLast = compileRead(writeLast(settings));
  const importBook = openImport(platform, turns, feverClinicBook);

  return {
    listFeverClinics: page,
    saveFeverClinics: async ({ db, body, audit }) => {
      await takeTurn(db, feverClinics);
      const ids = await replaceFeverClinics(db, body.datas);
      audit.records = ids;
      return String(ids.length);
    },
    importFeverClinics: {
      withoutTransaction: (call) =>
        importBook(call, (rows) =>
          call.transact(async (tx) => {
            refuseFaulty(rows.faults);
            // Of two for one day the later wins whole.
            await takeTurn(tx, feverClinics);
            const ids = await replaceFromSheet(tx, call.params.dateStr, rows);
            call.audit.records = [call.params.dateStr];
            call.audit.detail = { rows: ids.length };
            return String(ids.length);
          }),
        ),
    },
    updateFeverClinic: update,
    deleteFeverClinics: remove,
    findLastFeverClinics: async ({ db }) => found(await readLast(db)),
    feverClinicTemplate: ({ request }) => sendTemplate(request, feverClinicBook),
  };
}
