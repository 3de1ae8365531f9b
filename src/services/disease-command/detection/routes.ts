import type { Turns } from "#platform/jobs/turns.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { withImportedRows } from "#platform/workbooks/import.ts";
import { takeTurn } from "#services/disease-command/record-store.ts";
import { keepRecords, service } from "#services/disease-command/records.ts";
import { sendTemplate } from "#services/disease-command/template.ts";
import type { detectionEndpoints } from "./contract.ts";
import { detections, insertDetections } from "./store.ts";
import { detectionColumns, detectionExample } from "./workbook.ts";

export function detectionHandlers({ settings, arrivals }: Platform, turns: Turns): Handlers<typeof detectionEndpoints> {
  const begin = () => arrivals.begin(service);
  const { page, save, update, remove } = keepRecords(detections, settings);
  return {
    listDetection: page,
    saveDetection: save,
    importDetection: {
      withoutTransaction: ({ file, language, audit, transact }) =>
        turns.take(() =>
          withImportedRows({ path: file.path, columns: detectionColumns, settings, language, begin }, (read) =>
            transact(async (tx) => {
              // Two that store the same rows in another order would wait for each other.
              await takeTurn(tx, detections);
              const rows = await read.storeAll(tx, (batch) => insertDetections(tx, batch));
              audit.detail = { rows };
              return String(rows);
            }),
          ),
        ),
    },
    updateDetection: update,
    deleteDetection: remove,
    detectionTemplate: ({ request }) => sendTemplate(request, "检测统计", detectionColumns, detectionExample),
  };
}
