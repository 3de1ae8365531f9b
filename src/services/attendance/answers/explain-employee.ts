import type * as z from "zod";
import type { Language } from "#platform/contract/language.ts";
import type { Db } from "#platform/database/index.ts";
import { listJoinedPeople } from "#services/attendance/analysis/analysis-store.ts";
import { analyseMonth } from "#services/attendance/analysis/analysis.ts";
import { streamInputs } from "#services/attendance/analysis/employee-store.ts";
import type { Entry } from "#services/attendance/analysis/explain.ts";
import { sheetNames } from "#services/attendance/coverage.ts";
import type { explanation } from "#services/attendance/record-contract.ts";
import type { FinishedMonth } from "./finished-month.ts";
import { type Wanted, findResults } from "./result-store.ts";
import { toWaring } from "./wire-rows.ts";
import { type Problem, explain } from "#platform/contract/problem.ts";

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

export const noSuchEmployee = (): Problem => explain("notFound", "该月没有这位员工", "the month has no such employee");

/** Employees who share what was asked for can be told apart by their groups. */
export function severalAreMeant(groups: readonly string[]): Problem {
  const names = [...new Set(groups)].map((group) => `“${group}”`);
  return explain(
    "notAllowedNow",
    `符合条件的员工不止一位，请以 groupOfCheck 指明考勤组：${names.join("、")}`,
    `several employees are meant; groupOfCheck says which, out of ${names.join(", ")}`,
  );
}
