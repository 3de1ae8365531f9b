import type { Turns } from "#platform/jobs/turns.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { withImportedRows } from "#platform/workbooks/import.ts";
import { compileRead, takeTurn } from "#services/disease-command/record-store.ts";
import { found, keepRecords, service } from "#services/disease-command/records.ts";
import { sendTemplate } from "#services/disease-command/template.ts";
import type { feverClinicEndpoints } from "./contract.ts";
import { feverClinics, replaceFeverClinics, writeLast } from "./store.ts";
import { feverClinicColumns, feverClinicExample } from "./workbook.ts";

type Endpoints = typeof feverClinicEndpoints;

export function feverClinicHandlers({ settings, arrivals }: Platform, turns: Turns): Handlers<Endpoints> {
  const begin = () => arrivals.begin(service);
  const { page, update, remove } = keepRecords(feverClinics, settings);
  const readLast = compileRead(writeLast(settings));

  type ImportCall = Call<Endpoints["importFeverClinics"]>;
  const importDay = ({ params, file, language, audit, transact }: ImportCall) =>
    withImportedRows({ path: file.path, columns: feverClinicColumns, settings, language, begin }, (read) =>
      transact(async (tx) => {
        const ids = new Set<number>();
        // Of two for one day the later wins whole.
        await takeTurn(tx, feverClinics);
        await read.storeAll(tx, async (rows) => {
          const day = rows.map(({ values }) => ({ ...values, statisticsDate: params.dateStr }));
          for (const id of await replaceFeverClinics(tx, day)) ids.add(id);
          return [];
        });
        audit.records = [params.dateStr];
        audit.detail = { rows: ids.size };
        return String(ids.size);
      }),
    );

  return {
    listFeverClinics: page,
    saveFeverClinics: async ({ db, body, audit }) => {
      await takeTurn(db, feverClinics);
      const ids = await replaceFeverClinics(db, body.datas);
      audit.records = ids;
      return String(ids.length);
    },
    importFeverClinics: { withoutTransaction: (call) => turns.take(() => importDay(call)) },
    updateFeverClinic: update,
    deleteFeverClinics: remove,
    findLastFeverClinics: async ({ db }) => found(await readLast(db)),
    feverClinicTemplate: ({ request }) => sendTemplate(request, "发热门诊", feverClinicColumns, feverClinicExample),
  };
}
