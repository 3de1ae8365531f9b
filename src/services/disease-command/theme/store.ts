import type { Settings } from "#platform/config.ts";
import type { Db } from "#platform/database.ts";
import type { JsonText } from "#platform/envelope.ts";
import { startStatement } from "#platform/statement.ts";
import { readJson, selectFields, takeTurn, toArray, toObject } from "#services/disease-command/record-store.ts";
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

const writeThemes = (settings: Settings): string => `select ${selectFields(themes, settings)} from ${themes.table}`;

export const listThemes = (db: Db, settings: Settings): Promise<JsonText | undefined> =>
  readJson(db, startStatement(), toArray(`${writeThemes(settings)} order by id desc`));

/** SQL for the enabled theme. */
export const writeCurrentTheme = (settings: Settings): string => toObject(`${writeThemes(settings)} where enabled`);

export const findCurrentTheme = (db: Db, settings: Settings): Promise<JsonText | undefined> =>
  readJson(db, startStatement(), writeCurrentTheme(settings));
