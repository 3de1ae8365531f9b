import type { Turns } from "#platform/jobs/turns.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { refuseFaulty } from "#platform/workbooks/import-problems.ts";
import { takeTurn } from "#services/disease-command/record-store.ts";
import { keepRecords } from "#services/disease-command/records.ts";
import { openImport, sendTemplate } from "#services/disease-command/workbook.ts";
import type { detectionEndpoints } from "./contract.ts";
import { detections, insertStaged, stageDetections } from "./store.ts";
import { detectionBook } from "./workbook.ts";

export function detectionHandlers(platform: Platform, turns: Turns): Handlers<typeof detectionEndpoints> {
  const { page, save, update, remove } = keepRecords(detections, platform.settings);
  const importBook = openImport(platform, turns, detectionBook);
  return {
    listDetection: page,
    saveDetection: save,
    importDetection: {
      withoutTransaction: (call) =>
        importBook(call, (rows) =>
          call.transact(async (tx) => {
            // Two that store the same rows in another order would wait for each other.
            await takeTurn(tx, detections);
            await stageDetections(tx, rows);
            refuseFaulty([...rows.faults, ...(await insertStaged(tx))]);
            call.audit.detail = { rows: rows.count };
            return String(rows.count);
          }),
        ),
    },
    updateDetection: update,
    deleteDetection: remove,
    detectionTemplate: ({ request }) => sendTemplate(request, detectionBook),
  };
}
