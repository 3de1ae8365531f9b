import type * as z from "zod";
import type { Language } from "#platform/contract/language.ts";
import type { Db } from "#platform/database/index.ts";
import { listJoinedPeople } from "#services/attendance/analysis/analysis-store.ts";
import { analyseMonth } from "#services/attendance/analysis/analysis.ts";
import { streamInputs } from "#services/attendance/analysis/employee-store.ts";
import type { Entry } from "#services/attendance/analysis/explain.ts";
import { sheetNames } from "#services/attendance/coverage.ts";
import type { explanation } from "#services/attendance/record-contract.ts";
import { noSuchEmployee, severalAreMeant } from "./employee-problems.ts";
import type { FinishedMonth } from "./finished-month.ts";
import { findResults, type Wanted } from "./result-store.ts";
import { toWaring } from "./wire-rows.ts";

/**
 * The row of one employee, what is odd about it, and behind each figure the days and punches that make it: made again from the stored rows
 * with the settings of the analysis, which gives the same row, so that nothing has to be kept for those who never ask.
 * @throws {Problem} notFound, or notAllowedNow where several employees are meant.
 */
export async function explainEmployee(
  db: Db,
  state: FinishedMonth,
  who: Wanted,
  language: Language,
): Promise<z.input<typeof explanation>> {
  const found = await findResults(db, state.month, who);
  const [one, another] = found;
  if (!one) throw noSuchEmployee();
  if (another) throw severalAreMeant(found.map(({ group }) => group));
  const { employee } = one;
  const [[input] = []] = await Array.fromAsync(streamInputs(db, state, { first: employee, last: employee }));
  if (!input) throw noSuchEmployee();
  const { row, warnings, explain: explainRow } = analyseMonth(input, state.settings);
  const people = await listJoinedPeople(db, state.month, employee);
  return {
    month: state.month,
    row,
    waring: toWaring(warnings, language),
    bucketEdges: [...state.settings.bucketEdges],
    people: people.map(({ sheet, name, userId, workNumber, rows, by }) => ({
      kind: sheet,
      sheet: sheetNames[sheet],
      workName: name,
      userId,
      workNum: workNumber,
      rows,
      by,
    })),
    figures: explainRow(language).map(({ entries, ...figure }) => ({ ...figure, entries: entries.map(toEntry) })),
  };
}

const toEntry = ({ evidence, ...entry }: Entry) => ({
  ...entry,
  evidence: evidence.map(({ importId, ...each }) => ({ ...each, import: importId })),
});
