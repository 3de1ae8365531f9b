import type { Person } from "./model.ts";

/** Somebody of the month sheet, by the sheet's own row number. */
interface Employee extends Person {
  readonly row: number;
}

/**
 * Finds the employee whom each person of another sheet is: by UserId, then by 工号, then by a name that only one person
 * has, without a trailing （离职） (A4). Nobody is guessed: whom a stronger key tells apart from an employee is not that
 * employee, and where two are left, neither is taken.
 * @returns for each person, in order, the employee's row number, or null
 */
export function joinPeople(employees: readonly Employee[], people: readonly Person[]): (number | null)[] {
  const byUserId = Map.groupBy(employees, ({ userId }) => userId);
  const byWorkNumber = Map.groupBy(employees, ({ workNumber }) => workNumber);
  const found = new Map<Person, Employee>();
  for (const person of people) {
    const employee = findByUserId(person, byUserId) ?? findByWorkNumber(person, byWorkNumber);
    if (employee) found.set(person, employee);
  }
  const named = findByNames(employees, people, found);
  return people.map((person) => (found.get(person) ?? named.get(person))?.row ?? null);
}

type Index = ReadonlyMap<string, readonly Employee[]>;

const findByUserId = (person: Person, employees: Index): Employee | undefined =>
  person.userId === "" ? undefined : chooseOne(person, employees.get(person.userId) ?? []);

function findByWorkNumber(person: Person, employees: Index): Employee | undefined {
  if (person.workNumber === "") return undefined;
  const holders = employees.get(person.workNumber) ?? [];
  return chooseOne(
    person,
    holders.filter(({ userId }) => userId === "" || person.userId === "" || userId === person.userId),
  );
}

// Two rows of the month sheet with one UserId or 工号 are told apart by what else is known, if they can be.
function chooseOne(person: Person, found: readonly Employee[]): Employee | undefined {
  if (found.length < 2) return found[0];
  const sameNumber = found.filter(({ workNumber }) => workNumber !== "" && workNumber === person.workNumber);
  const left = sameNumber.length > 0 ? sameNumber : found;
  const sameName = left.filter(({ name }) => toBareName(name) === toBareName(person.name));
  const chosen = left.length > 1 ? sameName : left;
  return chosen.length === 1 ? chosen[0] : undefined;
}

// A name is taken only if everybody of that name, in both sheets, can be one and the same person.
function findByNames(
  employees: readonly Employee[],
  people: readonly Person[],
  found: ReadonlyMap<Person, Employee>,
): Map<Person, Employee> {
  const byName = Map.groupBy(employees, ({ name }) => toBareName(name));
  const named = new Map<Person, Employee>();
  for (const [name, namesakes] of Map.groupBy(people, (person) => toBareName(person.name))) {
    const [employee, ...others] = byName.get(name) ?? [];
    if (name === "" || !employee || others.length > 0) continue;
    const isTaken = namesakes.some((person) => found.has(person) && found.get(person) !== employee);
    const open = namesakes.filter((person) => !found.has(person));
    if (!isTaken && areOne([employee, ...open])) for (const person of open) named.set(person, employee);
  }
  return named;
}

const areOne = (people: readonly Person[]): boolean =>
  countDistinct(people.map(({ userId }) => userId)) <= 1 &&
  countDistinct(people.map(({ workNumber }) => dropLeadingZeros(workNumber))) <= 1;

const countDistinct = (keys: readonly string[]): number => new Set(keys.filter((key) => key !== "")).size;

// A 工号 typed as a number has lost them; that is no other person.
const dropLeadingZeros = (workNumber: string): string => workNumber.replace(/^0+(?=.)/, "");

/** A name without the mark of those who have left: `（离职）`, `(已离职)`. */
const toBareName = (name: string): string =>
  name
    .trim()
    .replace(/[（(]已?离职[）)]$/, "")
    .trimEnd();
