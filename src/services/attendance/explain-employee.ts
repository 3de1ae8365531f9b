import type * as z from "zod";
import type { Db } from "#platform/database.ts";
import type { Language } from "#platform/language.ts";
import { explain } from "#platform/problem.ts";
import { analyseMonth } from "./analysis.ts";
import { streamInputs } from "./employee-store.ts";
import type { explanation } from "./contract.ts";
import type { AnalysisSettings, Person } from "./model.ts";
import type { MonthState } from "./month-store.ts";
import { findResults } from "./result-store.ts";
import { toWaring } from "./wire-rows.ts";

/**
 * The row of one employee, what is odd about it, and behind each figure the days and punches that make it: made again from the stored rows
 * with the settings of the analysis, which gives the same row, so that nothing has to be kept for those who never ask.
 * @throws {Problem} notFound, or notAllowedNow where several employees are meant.
 */
export async function explainEmployee(
  db: Db,
  state: MonthState & { settings: AnalysisSettings },
  who: Partial<Record<keyof Person, string | undefined>>,
  language: Language,
): Promise<z.input<typeof explanation>> {
  const [found, another] = await findResults(db, state.month, who);
  if (!found) throw explain("notFound", "该月没有这位员工", "the month has no such employee");
  if (another) throw explain("notAllowedNow", "符合条件的员工不止一位", "several employees are meant");
  const [[input] = []] = await Array.fromAsync(streamInputs(db, state, { firstRow: found.row, lastRow: found.row }));
  if (!input) throw explain("notFound", "该月没有这位员工", "the month has no such employee");
  const { row, warnings, explain: explainRow } = analyseMonth(input, state.settings);
  return {
    month: state.month,
    row,
    waring: toWaring(warnings, language),
    bucketEdges: [...state.settings.bucketEdges],
    figures: explainRow(language).map(({ entries, ...figure }) => ({
      ...figure,
      entries: entries.map((entry) => ({ ...entry, evidence: [...entry.evidence] })),
    })),
  };
}
