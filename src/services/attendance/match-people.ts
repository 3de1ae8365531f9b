import { joinPeople } from "./analysis.ts";
import type { SheetPerson } from "./analysis-store.ts";
import type { Person } from "./model.ts";

export interface Matched {
  readonly pairs: { readonly person: number; readonly employee: number }[];
  /** Who is nobody of the month sheet, or nobody for certain. */
  readonly unmatched: SheetPerson[];
}

/** Finds the employee of the month sheet, by its row number, whom each person of another sheet is (A4). */
export function matchPeople(employees: readonly (Person & { row: number })[], people: readonly SheetPerson[]): Matched {
  const rows = joinPeople(employees, people);
  const matched: Matched = { pairs: [], unmatched: [] };
  for (const [index, person] of people.entries()) {
    const employee = rows[index];
    if (employee === null || employee === undefined) matched.unmatched.push(person);
    else matched.pairs.push({ person: person.person, employee });
  }
  return matched;
}
