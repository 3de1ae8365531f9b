import { inSnapshot } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { addKeyword } from "#services/attendance/analysis/keywords.ts";
import { findSettings, holdSettings, saveSettings } from "#services/attendance/analysis/settings-store.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import type { AnalysisSettings } from "#services/attendance/model.ts";
import { getFinished } from "./finished-month.ts";
import type { ChooseMonth } from "./month-routes.ts";
import { previewSettings } from "./preview.ts";

type Settings = Pick<Handlers<typeof endpoints>, "readSettings" | "changeSettings" | "addKeyword" | "previewSettings">;

export function settingsHandlers({ pool }: Platform, chooseMonth: ChooseMonth): Settings {
  return {
    readSettings: async ({ db }) => toSettings(await findSettings(db)),

    changeSettings: async ({ db, body }) => {
      await saveSettings(db, applyChange(await holdSettings(db), body));
      return "1";
    },

    addKeyword: async ({ db, body, audit }) => {
      audit.detail = { campus: body.campus, keyword: body.keyword };
      const present = await holdSettings(db);
      const campuses = addKeyword(present.campuses, body.campus, body.keyword.trim());
      if (campuses === undefined) return "0";
      await saveSettings(db, { ...present, campuses });
      return "1";
    },

    previewSettings: {
      withoutTransaction: async ({ body }) =>
        inSnapshot(pool, async (db) => {
          const state = await getFinished(db, await chooseMonth(db, body.month));
          const present = await findSettings(db);
          return previewSettings(db, state, present, applyChange(present, body));
        }),
    },
  };
}

type SettingsChange = { readonly [K in keyof AnalysisSettings]?: unknown };

/** What is left out stays. */
const applyChange = (present: AnalysisSettings, { campuses, bucketEdges }: SettingsChange): AnalysisSettings => ({
  campuses: (campuses as AnalysisSettings["campuses"] | undefined) ?? present.campuses,
  bucketEdges: (bucketEdges as AnalysisSettings["bucketEdges"] | undefined) ?? present.bucketEdges,
});

const toSettings = ({ campuses, bucketEdges }: AnalysisSettings) => ({
  campuses: campuses.map(({ campus, keywords }) => ({ campus, keywords: [...keywords] })),
  bucketEdges: [...bucketEdges],
});
