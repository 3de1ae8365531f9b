import type { Person } from "#services/attendance/model.ts";

/** Somebody of a sheet; the group only where the sheet gives it. */
export interface Candidate extends Person {
  readonly group?: string;
}

/** An employee of the month, by number. */
interface Employee extends Candidate {
  readonly employee: number;
}

/** What an employee is found by. */
export type FoundBy = "userId" | "workNum" | "name";

export interface Found {
  readonly employee: number;
  readonly by: FoundBy;
}

/**
 * Finds the employee whom each person of another sheet is: by UserId, then by 工号, then by a name that only one person
 * has, without a trailing （离职） (A4). Nobody is guessed: whom a stronger key tells apart from an employee is not that
 * employee, and where two are left, neither is taken.
 * @returns for each person, in order, who that is, or null
 */
export function joinPeople(employees: readonly Employee[], people: readonly Candidate[]): (Found | null)[] {
  const byUserId = Map.groupBy(employees, ({ userId }) => userId);
  const byWorkNumber = Map.groupBy(employees, ({ workNumber }) => workNumber);
  const found = new Map<Person, Employee>();
  const by = new Map<Person, FoundBy>();
  for (const person of people) {
    const holder = findByUserId(person, byUserId);
    const employee = holder ?? findByWorkNumber(person, byWorkNumber);
    if (!employee) continue;
    found.set(person, employee);
    by.set(person, holder ? "userId" : "workNum");
  }
  const named = findByNames(employees, people, found);
  return people.map((person) => {
    const employee = found.get(person) ?? named.get(person);
    return employee ? { employee: employee.employee, by: by.get(person) ?? "name" } : null;
  });
}

type Index = ReadonlyMap<string, readonly Employee[]>;

const findByUserId = (person: Candidate, employees: Index): Employee | undefined =>
  person.userId === "" ? undefined : chooseOne(person, employees.get(person.userId) ?? []);

function findByWorkNumber(person: Candidate, employees: Index): Employee | undefined {
  if (person.workNumber === "") return undefined;
  const holders = employees.get(person.workNumber) ?? [];
  return chooseOne(
    person,
    holders.filter(({ userId }) => userId === "" || person.userId === "" || userId === person.userId),
  );
}

// Two employees with one UserId or 工号 are told apart by what else is known, if they can be.
function chooseOne(person: Candidate, found: readonly Employee[]): Employee | undefined {
  if (found.length < 2) return found[0];
  const sameNumber = found.filter(({ workNumber }) => workNumber !== "" && workNumber === person.workNumber);
  const left = sameNumber.length > 0 ? sameNumber : found;
  const sameName = left.filter(({ name }) => toBareName(name) === toBareName(person.name));
  const chosen = left.length > 1 ? sameName : left;
  const sameGroup = chosen.filter(({ group }) => group !== undefined && group === person.group);
  const last = chosen.length > 1 ? sameGroup : chosen;
  return last.length === 1 ? last[0] : undefined;
}

// A name is taken only if everybody of that name, in both sheets, can be one and the same person.
function findByNames(
  employees: readonly Employee[],
  people: readonly Candidate[],
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
export const toBareName = (name: string): string =>
  name
    .trim()
    .replace(/[（(]已?离职[）)]$/, "")
    .trimEnd();

/** Whom somebody settled a person of a sheet as: the employee with that UserId, or nobody where it is "". */
export interface Decision {
  readonly userId: string;
  /** Of the employee, where several have the UserId; "" where it does not matter. */
  readonly group: string;
}

/** What was settled of a sheet's people, by `toPersonKey`. */
export type Settled = ReadonlyMap<string, Decision>;

/** The same person of a sheet, whichever import brings them. */
export const toPersonKey = ({ name, userId, workNumber }: Person): string => JSON.stringify([name, userId, workNumber]);
