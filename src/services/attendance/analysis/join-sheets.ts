import type { Bilingual } from "#platform/contract/language.ts";
import type { Db } from "#platform/database/index.ts";
import { listImportsOf, sheetNames } from "#services/attendance/coverage.ts";
import type { Person } from "#services/attendance/model.ts";
import type { MonthState } from "#services/attendance/month-store.ts";
import { type Pair, type SheetPerson, listPeople } from "./analysis-store.ts";
import { type RosterEmployee, listRoster } from "./roster-store.ts";
import { listSettled } from "./settled-store.ts";
import { joinPeople } from "./analysis.ts";
import { type Candidate, type Settled, toPersonKey } from "./people.ts";
import { isMeant } from "./roster.ts";

/** A sheet whose people are joined to the employees of the month. */
export interface JoinedSheet extends Matched {
  readonly sheet: "daily" | "original" | "work";
  /** The employees whom it has not; none where there is no such sheet. */
  readonly lacking: readonly RosterEmployee[];
}

/** Finds which employee each person of the other sheets is. */
export async function joinSheets(
  db: Db,
  { month, spans, workImport }: MonthState,
): Promise<{ employees: RosterEmployee[]; sheets: JoinedSheet[] }> {
  const employees = await listRoster(db, month);
  const monthImports = listImportsOf(spans, "month");
  const sheets: JoinedSheet[] = [];
  for (const [sheet, imports] of [
    ["daily", listImportsOf(spans, "daily")],
    ["original", listImportsOf(spans, "original")],
    ["work", workImport === null ? [] : [workImport]],
  ] as const) {
    const people = await listPeople(db, imports);
    if (people.length === 0) continue;
    const matched = matchPeople(employees, people, await listSettled(db, sheet, monthImports));
    const found = new Set(matched.pairs.map(({ employee }) => employee));
    sheets.push({ sheet, ...matched, lacking: employees.filter(({ employee }) => !found.has(employee)) });
  }
  return { employees, sheets };
}

/** Whom one sheet has and another lacks. */
export function warnOfPeople(employees: readonly Person[], sheets: readonly JoinedSheet[]): Bilingual[] {
  // Before there is a month sheet everybody would be nobody.
  if (employees.length === 0) return [];
  return sheets.flatMap(({ sheet, unmatched, lacking }) => {
    const name = sheetNames[sheet];
    return [
      ...warn(unmatched, {
        zh: (count) => `${name}中有 ${count} 人无法对应到月度汇总`,
        en: (count) => `${count} people of ${name} are nobody of the month sheet for certain`,
      }),
      // 每日统计 has somebody for whom there is a day; the others say who is missing in them.
      ...warn(sheet === "daily" ? [] : lacking, {
        zh: (count) => `月度汇总中有 ${count} 人不在${name}中`,
        en: (count) => `${count} people of the month sheet are not in ${name}`,
      }),
    ];
  });
}

const shownPeople = 10;

function warn(
  people: readonly Person[],
  says: Readonly<Record<keyof Bilingual, (count: number) => string>>,
): Bilingual[] {
  if (people.length === 0) return [];
  const shown = people.slice(0, shownPeople).map(({ name }) => name);
  const names = shown.join("、") + (people.length > shownPeople ? "…" : "");
  return [{ zh: `${says.zh(people.length)}：${names}`, en: `${says.en(people.length)}: ${names}` }];
}

export interface Matched {
  readonly pairs: Pair[];
  /** Who is nobody of the month sheet, or nobody for certain; who was settled as nobody is not among them. */
  readonly unmatched: SheetPerson[];
}

type Employee = Candidate & { readonly employee: number; readonly group: string };

/** Finds the employee of the month whom each person of another sheet is: as settled, else by the rules (A4, A21). */
export function matchPeople(employees: readonly Employee[], people: readonly SheetPerson[], settled: Settled): Matched {
  const matched: Matched = { pairs: [], unmatched: [] };
  const open: SheetPerson[] = [];
  for (const person of people) {
    const decision = settled.get(toPersonKey(person));
    const [meant, another] = decision ? employees.filter((employee) => isMeant(employee, decision)) : [];
    if (decision?.userId === "") continue;
    if (meant && !another) matched.pairs.push({ person, employee: meant.employee, by: "match" });
    else open.push(person);
  }
  const found = joinPeople(employees, open);
  for (const [index, person] of open.entries()) {
    const each = found[index];
    if (each) matched.pairs.push({ person, ...each });
    else matched.unmatched.push(person);
  }
  return matched;
}
