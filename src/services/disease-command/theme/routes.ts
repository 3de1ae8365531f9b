import type { Handlers } from "#platform/http/serve.ts";
import type { Platform } from "#platform/platform.ts";
import { found, keepRecords } from "#services/disease-command/records.ts";
import type { themeEndpoints } from "./contract.ts";
import { disableThemes, findCurrentTheme, listThemes, themes } from "./store.ts";

export function themeHandlers({ settings }: Platform): Handlers<typeof themeEndpoints> {
  const { save, update, remove } = keepRecords(themes, settings);
  return {
    listThemes: async ({ db }) => found(await listThemes(db, settings)),
    saveTheme: async (call) => {
      if (call.body.enable === "1") await disableThemes(call.db);
      return save(call);
    },
    updateTheme: async (call) => {
      if (call.body.enable === "1") await disableThemes(call.db);
      return update(call);
    },
    deleteThemes: remove,
    findCurrentTheme: async ({ db }) => (await findCurrentTheme(db, settings)) ?? null,
  };
}
