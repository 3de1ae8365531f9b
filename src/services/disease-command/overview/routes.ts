import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { found } from "#services/disease-command/records.ts";
import type { Changes } from "./changes.ts";
import type { overviewEndpoints } from "./contract.ts";
import { compileOverview } from "./store.ts";

export function overviewHandlers({ settings }: Platform, changes: Changes): Handlers<typeof overviewEndpoints> {
  const readOverview = compileOverview(settings);
  return {
    readOverview: async ({ db }) => found(await readOverview(db)),
    followChanges: async () => changes.subscribe,
  };
}
