import type { Pair, SheetPerson } from "./analysis-store.ts";
import { joinPeople } from "./analysis.ts";
import type { Candidate } from "./people.ts";
import { isMeant } from "./roster.ts";
import { type Settled, toPersonKey } from "./settled.ts";

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
