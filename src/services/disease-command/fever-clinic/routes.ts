import type { Call, Handlers } from "#platform/http/serve.ts";
import type { Platform } from "#platform/platform.ts";
import { importRows } from "#platform/workbook-import.ts";
import { compileRead, takeTurn } from "#services/disease-command/record-store.ts";
import { found, keepRecords } from "#services/disease-command/records.ts";
import { sendTemplate } from "#services/disease-command/template.ts";
import type { feverClinicEndpoints } from "./contract.ts";
import { feverClinics, replaceFeverClinics, writeLast } from "./store.ts";
import { feverClinicColumns, feverClinicExample } from "./workbook.ts";

type Endpoints = typeof feverClinicEndpoints;

export function feverClinicHandlers({ settings }: Platform): Handlers<Endpoints> {
  const { page, update, remove } = keepRecords(feverClinics, settings);
  const readLast = compileRead(writeLast(settings));

  const importDay = async ({ db, params, file, language, audit }: Call<Endpoints["importFeverClinics"]>) => {
    const ids = new Set<number>();
    // Of two for one day the later wins whole.
    await takeTurn(db, feverClinics);
    await importRows({
      path: file.path,
      columns: feverClinicColumns,
      settings,
      language,
      store: async (rows) => {
        const day = rows.map(({ values }) => ({ ...values, statisticsDate: params.dateStr }));
        for (const id of await replaceFeverClinics(db, day)) ids.add(id);
        return [];
      },
    });
    audit.records = [params.dateStr];
    audit.detail = { rows: ids.size };
    return String(ids.size);
  };

  return {
    listFeverClinics: page,
    saveFeverClinics: async ({ db, body, audit }) => {
      await takeTurn(db, feverClinics);
      const ids = await replaceFeverClinics(db, body.datas);
      audit.records = ids;
      return String(ids.length);
    },
    importFeverClinics: importDay,
    updateFeverClinic: update,
    deleteFeverClinics: remove,
    findLastFeverClinics: async ({ db }) => found(await readLast(db)),
    feverClinicTemplate: ({ request }) => sendTemplate(request, "发热门诊", feverClinicColumns, feverClinicExample),
  };
}
