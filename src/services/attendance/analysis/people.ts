import type { Person } from "#services/attendance/model.ts";

/** Somebody of a sheet; the group only where the sheet gives it. */
export interface Candidate extends Person {
  readonly group?: string;
}

interface Employee extends Candidate {
  readonly employee: number;
}

export type FoundBy = "userId" | "workNum" | "name";

interface Found {
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

// The employees of a month out of its month sheets: somebody who stands in several of them is one (A4), and has the rows
// of each.

/** A row of a month sheet, as far as it says who it is about. */
export interface SheetRow extends Person {
  readonly row: number;
  readonly group: string;
  readonly department: string;
}

/** An employee of the month. The n-th import and the n-th row belong together. */
export interface Member extends Person {
  readonly group: string;
  readonly department: string;
  readonly imports: readonly number[];
  readonly rows: readonly number[];
}

type Draft = { -readonly [K in keyof SheetRow]: SheetRow[K] } & {
  /** Where the employee stands; `order` is that of the sheets. */
  readonly places: { readonly importId: number; readonly row: number; readonly order: number }[];
};

/** @param settled of the month sheet: rows that are another employee's, or nobody's */
export function openRoster(settled: Settled) {
  const drafts: Draft[] = [];
  const moved: { readonly draft: Draft; readonly decision: Decision }[] = [];
  let order = 0;
  const toDraft = (importId: number, row: SheetRow): Draft => ({ ...row, places: [{ importId, row: row.row, order }] });
  return {
    /** Adds the rows of the next month sheet, in the order of the days that they are of. */
    add(importId: number, rows: readonly SheetRow[]): void {
      order++;
      const own = rows.filter((row) => {
        const decision = settled.get(toPersonKey(row));
        if (decision && decision.userId !== "") moved.push({ draft: toDraft(importId, row), decision });
        return decision === undefined;
      });
      const joined = joinRows(drafts, own);
      for (const [index, row] of own.entries()) {
        const draft = joined[index];
        if (draft) extend(draft, toDraft(importId, row));
        else drafts.push(toDraft(importId, row));
      }
    },
    list(): Member[] {
      for (const { draft, decision } of moved) {
        const [chosen, another] = drafts.filter((employee) => isMeant(employee, decision));
        if (chosen && !another) chosen.places.push(...draft.places);
        else drafts.push(draft);
      }
      return drafts.map(toMember);
    },
  };
}

export const isMeant = (
  { userId, group }: { readonly userId: string; readonly group: string },
  decision: Decision,
): boolean => userId === decision.userId && (decision.group === "" || group === decision.group);

/** Which employee each row of another sheet is; two rows of one sheet are never the same. */
function joinRows(drafts: readonly Draft[], rows: readonly SheetRow[]): (Draft | undefined)[] {
  const found = joinPeople(
    drafts.map((draft, employee) => ({ ...draft, employee })),
    rows,
  );
  const rivals = Map.groupBy(rows.keys(), (index) => found[index]?.employee);
  return found.map((each, index) => {
    const draft = each ? drafts[each.employee] : undefined;
    const claims = rivals.get(each?.employee) ?? [];
    return draft && chooseClaim(draft, claims, rows, found) === index ? draft : undefined;
  });
}

// Of several rows for one employee the one that is surest, else the one of the same group, else none.
function chooseClaim(
  draft: Draft,
  claims: readonly number[],
  rows: readonly SheetRow[],
  found: readonly (Found | null)[],
): number | undefined {
  const surest = ["userId", "workNum", "name"].find((by) => claims.some((index) => found[index]?.by === by));
  const sure = claims.filter((index) => found[index]?.by === surest);
  const chosen = sure.length === 1 ? sure : sure.filter((index) => rows[index]?.group === draft.group);
  return chosen.length === 1 ? chosen[0] : undefined;
}

// What the later sheet says of somebody holds: who left, or changed the department, did so in between.
function extend(draft: Draft, { places, ...later }: Draft): void {
  draft.places.push(...places);
  for (const key of ["name", "userId", "workNumber", "group", "department"] as const)
    if (later[key] !== "") draft[key] = later[key];
}

function toMember({ places, ...who }: Draft): Member {
  const inOrder = places.toSorted((left, right) => left.order - right.order);
  return { ...who, imports: inOrder.map(({ importId }) => importId), rows: inOrder.map(({ row }) => row) };
}
