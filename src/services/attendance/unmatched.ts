import type * as z from "zod";
import type { Db } from "#platform/database.ts";
import { listEmployeeNames, listPeople, type SheetPerson } from "./analysis-store.ts";
import type { unmatched } from "./contract.ts";
import { matchPeople } from "./match-people.ts";
import type { Person } from "./model.ts";
import type { MonthState } from "./month-store.ts";
import { countSheetResults, listResultPlaces } from "./result-store.ts";
import { readResult } from "./rules-results.ts";
import { listUnknownDays } from "./unknown-days.ts";

const sheetNames = { month: "月度汇总", daily: "每日统计", original: "原始记录", work: "员工信息" } as const;
// A list that people go through by hand; a whole sheet that fits nobody is one fault, not eight thousand.
const mostPeople = 2000;
const mostResults = 100;

/** Who stands in one sheet and not in another, and the results that no rule knows. */
export async function listUnmatched(db: Db, state: MonthState): Promise<z.input<typeof unmatched>> {
  const { month, monthImport, originalImport, workImport } = state;
  const employees = await listEmployeeNames(db, monthImport);
  const people: z.input<typeof unmatched>["people"] = [];
  for (const [sheet, importId] of [
    ["daily", monthImport],
    ["original", originalImport],
    ["work", workImport],
  ] as const) {
    const listed = await listPeople(db, importId);
    // A sheet that was not imported lacks nobody.
    if (listed.length === 0) continue;
    const { pairs, unmatched: strangers } = matchPeople(employees, listed);
    const found = new Set(pairs.map(({ employee }) => employee));
    people.push(...strangers.map((person) => toPerson(person, sheetNames[sheet], sheetNames.month, person.rows)));
    people.push(
      ...employees
        .filter(({ row }) => !found.has(row))
        .map((person) => toPerson(person, sheetNames.month, sheetNames[sheet], 1)),
    );
  }
  return { month, people: people.slice(0, mostPeople), results: await listUnknownResults(db, state) };
}

const toPerson = (
  { name, userId, workNumber }: Person | SheetPerson,
  sheet: string,
  lackedBy: string,
  rows: number,
) => ({ workName: name, userId, workNum: workNumber, sheet, lackedBy, rows });

async function listUnknownResults(db: Db, state: MonthState): Promise<z.input<typeof unmatched>["results"]> {
  const days = (await listUnknownDays(db, state.month, state.monthImport)).slice(0, mostResults);
  const unknown = (await countSheetResults(db, state))
    .filter(({ result }) => readResult(result) === "unknown")
    .slice(0, mostResults);
  const spoken = unknown.map(async (found) => ({
    sheet: sheetNames[found.sheet],
    result: found.result,
    count: found.count,
    examples: await listResultPlaces(db, state, found),
  }));
  return [
    ...days.map(({ examples, ...found }) => ({ sheet: sheetNames.month, ...found, examples: [...examples] })),
    ...(await Promise.all(spoken)),
  ];
}
