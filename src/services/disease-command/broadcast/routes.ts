import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { compileRead } from "#services/disease-command/record-store.ts";
import { found, keepRecords } from "#services/disease-command/records.ts";
import type { broadcastEndpoints } from "./contract.ts";
import { broadcasts, listBroadcasts, statisticsTable, writeStatistics } from "./store.ts";

export function broadcastHandlers({ settings }: Platform): Handlers<typeof broadcastEndpoints> {
  const { info, save, update, remove } = keepRecords(broadcasts, settings);
  const readStatistics = compileRead(writeStatistics(settings));
  return {
    findBroadcastStatistics: async ({ db }) => found(await readStatistics(db)),
    updateBroadcastStatistics: keepRecords(statisticsTable, settings).update,
    addBroadcastRecord: save,
    updateBroadcastRecord: update,
    listBroadcastRecords: async ({ db, query }) => found(await listBroadcasts(db, settings, query)),
    deleteBroadcastRecords: remove,
    findBroadcastRecord: ({ db, params }) => info({ db, params: { id: params.recordId } }),
  };
}
