import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { found, keepRecords } from "#services/disease-command/records.ts";
import type { toiletEndpoints } from "./contract.ts";
import { listMiniToilets, listNearbyToilets, toilets } from "./store.ts";

export function toiletHandlers({ settings }: Platform): Handlers<typeof toiletEndpoints> {
  const { page, info, save, update, remove } = keepRecords(toilets, settings);
  return {
    listToilets: page,
    listMiniToilets: async ({ db }) => found(await listMiniToilets(db)),
    listNearbyToilets: async ({ db }) => found(await listNearbyToilets(db)),
    findToilet: info,
    saveToilet: save,
    updateToilet: update,
    deleteToilets: remove,
  };
}
