import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { compileRead } from "#services/disease-command/record-store.ts";
import { found, keepRecords } from "#services/disease-command/records.ts";
import type { themeEndpoints } from "./contract.ts";
import { disableThemes, themes, writeCurrentTheme, writeThemes } from "./store.ts";

export function themeHandlers({ settings }: Platform): Handlers<typeof themeEndpoints> {
  const { save, update, remove } = keepRecords(themes, settings);
  const readThemes = compileRead(writeThemes(settings));
  const readCurrentTheme = compileRead(writeCurrentTheme(settings));
  return {
    listThemes: async ({ db }) => found(await readThemes(db)),
    saveTheme: async (call) => {
      if (call.body.enable === "1") await disableThemes(call.db);
      return save(call);
    },
    updateTheme: async (call) => {
      if (call.body.enable === "1") await disableThemes(call.db);
      return update(call);
    },
    deleteThemes: remove,
    findCurrentTheme: async ({ db }) => (await readCurrentTheme(db)) ?? null,
  };
}
