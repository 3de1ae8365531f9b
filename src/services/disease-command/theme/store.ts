import type { Db } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import { selectFields, takeTurn, toArray, toObject } from "#services/disease-command/record-store.ts";
import { type FieldOf, plain, type RecordTable, yesOrNo } from "#services/disease-command/record-table.ts";
import type { theme } from "./contract.ts";

export const themes: RecordTable<FieldOf<typeof theme>> = {
  table: "disease_command.theme",
  columns: { themeName: plain("name"), enable: yesOrNo("enabled") },
  unique: { theme_name_key: "themeName" },
};

/** Disables every theme, and keeps others from enabling one until the transaction ends. */
export async function disableThemes(tx: Db): Promise<void> {
  await takeTurn(tx, themes);
  await tx`update disease_command.theme set enabled = false, updated_at = now() where enabled`;
}

const selectThemes = (settings: Settings): string => `select ${selectFields(themes, settings)} from ${themes.table}`;

/** SQL for all themes. */
export const writeThemes = (settings: Settings): string => toArray(`${selectThemes(settings)} order by id desc`);

/** SQL for the enabled theme. */
export const writeCurrentTheme = (settings: Settings): string => toObject(`${selectThemes(settings)} where enabled`);
