import type { Person } from "#services/attendance/model.ts";

/** Somebody of a sheet; the group only where the sheet gives it. */
export interface Candidate extends Person {
  readonly group?: string | null;
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
  const found = new Map<Person, Found>();
  for (const person of people) {
    const { userId, workNumber } = person;
    const holder = userId === "" ? undefined : chooseOne(person, byUserId.get(userId) ?? []);
    const numbered = workNumber === "" ? [] : (byWorkNumber.get(workNumber) ?? []);
    const possible = numbered.filter((each) => each.userId === "" || userId === "" || each.userId === userId);
    const chosen = holder ?? chooseOne(person, possible);
    if (chosen) found.set(person, { employee: chosen.employee, by: holder ? "userId" : "workNum" });
  }
  findByNames(employees, people, found);
  return people.map((person) => found.get(person) ?? null);
}

// Two employees with one UserId or 工号 are told apart by what else is known, if they can be.
function chooseOne(person: Candidate, found: readonly Employee[]): Employee | undefined {
  if (found.length < 2) return found[0];
  const sameNumber = found.filter(({ workNumber }) => workNumber !== "" && workNumber === person.workNumber);
  const left = sameNumber.length > 0 ? sameNumber : found;
  const sameName = left.filter(({ name }) => toBareName(name) === toBareName(person.name));
  const chosen = left.length > 1 ? sameName : left;
  const sameGroup = chosen.filter(({ group }) => typeof group === "string" && group === person.group);
  const last = chosen.length > 1 ? sameGroup : chosen;
  return last.length === 1 ? last[0] : undefined;
}

// A name is taken only if everybody of that name, in both sheets, can be one and the same person.
function findByNames(employees: readonly Employee[], people: readonly Candidate[], found: Map<Person, Found>): void {
  const byName = Map.groupBy(employees, ({ name }) => toBareName(name));
  for (const [name, namesakes] of Map.groupBy(people, (person) => toBareName(person.name))) {
    const [holder, ...others] = byName.get(name) ?? [];
    if (name === "" || !holder || others.length > 0) continue;
    const { employee } = holder;
    const open = namesakes.filter((person) => !found.has(person));
    const isTaken = namesakes.some((person) => (found.get(person)?.employee ?? employee) !== employee);
    const isOne =
      countDistinct([holder, ...open].map(({ userId }) => userId)) <= 1 &&
      countDistinct([holder, ...open].map(({ workNumber }) => dropLeadingZeros(workNumber))) <= 1;
    if (!isTaken && isOne) for (const person of open) found.set(person, { employee, by: "name" });
  }
}

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
        const draft = joined.get(index);
        if (!draft) {
          drafts.push(toDraft(importId, row));
          continue;
        }
        draft.places.push({ importId, row: row.row, order });
        // What the later sheet says of somebody holds: who left, or changed the department, did so in between.
        for (const key of ["name", "userId", "workNumber", "group", "department"] as const)
          if (row[key] !== "") draft[key] = row[key];
      }
    },
    list(): Member[] {
      for (const { draft, decision } of moved) {
        const [chosen, another] = drafts.filter((employee) => isMeant(employee, decision));
        if (chosen && !another) chosen.places.push(...draft.places);
        else drafts.push(draft);
      }
      return drafts.map(({ places, ...who }) => {
        const inOrder = places.toSorted((left, right) => left.order - right.order);
        return { ...who, imports: inOrder.map(({ importId }) => importId), rows: inOrder.map(({ row }) => row) };
      });
    },
  };
}

export const isMeant = ({ userId, group }: Decision, decision: Decision): boolean =>
  userId === decision.userId && (decision.group === "" || group === decision.group);

/** Which employee a row of another sheet is, by its index; two rows of one sheet are never the same. */
function joinRows(drafts: readonly Draft[], rows: readonly SheetRow[]): ReadonlyMap<number, Draft> {
  const found = joinPeople(
    drafts.map((draft, employee) => ({ ...draft, employee })),
    rows,
  );
  const joined = new Map<number, Draft>();
  for (const [employee = -1, claims] of Map.groupBy(rows.keys(), (index) => found[index]?.employee)) {
    const draft = drafts[employee];
    // Of several rows for one employee the one that is surest, else the one of the same group, else none.
    const surest = ["userId", "workNum", "name"].find((by) => claims.some((index) => found[index]?.by === by));
    const sure = claims.filter((index) => found[index]?.by === surest);
    const [chosen, another] = sure.length === 1 ? sure : sure.filter((index) => rows[index]?.group === draft?.group);
    if (draft && chosen !== undefined && another === undefined) joined.set(chosen, draft);
  }
  return joined;
}
