import type { Handlers } from "#platform/http/serve.ts";
import type { Platform } from "#platform/platform.ts";
import { importRows } from "#platform/workbook-import.ts";
import { takeTurn } from "#services/disease-command/record-store.ts";
import { keepRecords } from "#services/disease-command/records.ts";
import { sendTemplate } from "#services/disease-command/template.ts";
import type { detectionEndpoints } from "./contract.ts";
import { detections, insertDetections } from "./store.ts";
import { detectionColumns, detectionExample } from "./workbook.ts";

export function detectionHandlers({ settings }: Platform): Handlers<typeof detectionEndpoints> {
  const { page, save, update, remove } = keepRecords(detections, settings);
  return {
    listDetection: page,
    saveDetection: save,
    importDetection: async ({ db, file, language, audit }) => {
      let count = 0;
      // Two that store the same rows in another order would wait for each other.
      await takeTurn(db, detections);
      await importRows({
        path: file.path,
        columns: detectionColumns,
        settings,
        language,
        store: (rows) => {
          count += rows.length;
          return insertDetections(db, rows);
        },
      });
      audit.detail = { rows: count };
      return String(count);
    },
    updateDetection: update,
    deleteDetection: remove,
    detectionTemplate: ({ request }) => sendTemplate(request, "检测统计", detectionColumns, detectionExample),
  };
}
