import type * as z from "zod";
import { type Db, inSnapshot } from "#platform/database/index.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { streamInputs } from "#services/attendance/analysis/employee-store.ts";
import { addKeywords, findSettings, holdSettings, saveSettings } from "#services/attendance/analysis/settings-store.ts";
import { analyseMonth } from "#services/attendance/analysis/summary-row.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { type AnalysisSettings, toWirePerson } from "#services/attendance/model.ts";
import type { MonthState } from "#services/attendance/month-store.ts";
import type { preview } from "#services/attendance/record-contract.ts";
import type { ChooseMonth } from "./month-routes.ts";
import { getFinished } from "./version-store.ts";

export function settingsHandlers({ pool }: Platform, chooseMonth: ChooseMonth) {
  return {
    readSettings: async ({ db }) => {
      const { campuses, bucketEdges } = await findSettings(db);
      return {
        campuses: campuses.map(({ campus, keywords }) => ({ campus, keywords: [...keywords] })),
        bucketEdges: [...bucketEdges],
      };
    },

    changeSettings: async ({ db, body }) => {
      await saveSettings(db, applyChange(await holdSettings(db), body));
      return "1";
    },

    addKeyword: async ({ db, body, audit }) => {
      audit.detail = { keywords: body.map(({ campus, keyword }) => `${campus}: ${keyword}`).join("; ") };
      const present = await holdSettings(db);
      const { campuses, added } = addKeywords(present.campuses, body);
      await saveSettings(db, { ...present, campuses });
      return String(added);
    },

    previewSettings: withoutTransaction(async ({ body }) =>
      inSnapshot(pool, async (db) => {
        const state = await getFinished(db, await chooseMonth(db, body.month));
        const present = await findSettings(db);
        return previewSettings(db, state, present, applyChange(present, body));
      }),
    ),
  } satisfies Partial<Handlers<typeof endpoints>>;
}

type SettingsChange = { readonly [K in keyof AnalysisSettings]?: unknown };

const applyChange = (present: AnalysisSettings, { campuses, bucketEdges }: SettingsChange): AnalysisSettings => ({
  campuses: (campuses as AnalysisSettings["campuses"] | undefined) ?? present.campuses,
  bucketEdges: (bucketEdges as AnalysisSettings["bucketEdges"] | undefined) ?? present.bucketEdges,
});

const shownRows = 100;

type Preview = z.input<typeof preview>;

/**
 * Analyses the month with the present and with the changed settings, counts the rows that differ, and lists the first
 * `shownRows` of them. The people must already be matched across the month's sheets.
 */
async function previewSettings(
  db: Db,
  state: MonthState,
  present: AnalysisSettings,
  changed: AnalysisSettings,
): Promise<Preview> {
  const answer = { month: state.month, employees: state.total, changed: 0, rows: [] as Preview["rows"] };
  for await (const inputs of streamInputs(db, state)) {
    for (const input of inputs) {
      const after: Readonly<Record<string, unknown>> = analyseMonth(input, changed).row;
      const changes = Object.entries(analyseMonth(input, present).row).flatMap(([field, before]) =>
        after[field] === before ? [] : { field, before: String(before), after: String(after[field]) },
      );
      if (changes.length === 0) continue;
      answer.changed++;
      if (answer.rows.length < shownRows) answer.rows.push({ ...toWirePerson(input.summary), changes });
    }
  }
  return answer;
}
