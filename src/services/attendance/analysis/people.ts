import type { Person } from "#services/attendance/model.ts";

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
 * Matches people with employees by UserId, or by 工号, or by a name that only one person has; a trailing （离职） in names is
 * ignored (A4). People are not matched by a weaker key if a stronger one differs, and ambiguous matches are dropped.
 * @returns for each person, in order, the match or null
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

// If several employees share the UserId or 工号, the other keys distinguish them where possible.
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

// People are matched by name only if all people with this name, in both sheets, can be the same person.
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

// A 工号 that was typed as a number has lost its leading zeros.
const dropLeadingZeros = (workNumber: string): string => workNumber.replace(/^0+(?=.)/, "");

export const toBareName = (name: string): string =>
  name
    .trim()
    .replace(/[（(]已?离职[）)]$/, "")
    .trimEnd();

/** An operator's match: the UserId of the chosen employee, or "" for nobody. */
export interface Decision {
  readonly userId: string;
  /** The employee's group if several employees share the UserId; otherwise "". */
  readonly group: string;
}

export type Settled = ReadonlyMap<string, Decision>;

export const toPersonKey = ({ name, userId, workNumber }: Person): string => JSON.stringify([name, userId, workNumber]);

// A person in several month sheets is one employee, with the rows of all these sheets (A4).

export interface SheetRow extends Person {
  readonly row: number;
  readonly group: string;
  readonly department: string;
}

export interface Member extends Person {
  readonly group: string;
  readonly department: string;
  readonly imports: readonly number[];
  readonly rows: readonly number[];
}

type Draft = { -readonly [K in keyof SheetRow]: SheetRow[K] } & {
  readonly places: { readonly importId: number; readonly row: number; readonly order: number }[];
};

export function openRoster(settled: Settled) {
  const drafts: Draft[] = [];
  const moved: { readonly draft: Draft; readonly decision: Decision }[] = [];
  let order = 0;
  const toDraft = (importId: number, row: SheetRow): Draft => ({ ...row, places: [{ importId, row: row.row, order }] });
  return {
    /** The caller adds the sheets in the order of their days. */
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
        // If sheets differ, the later sheet is right, since people leave or change departments during a month.
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

/** Finds the employee of each row. Two rows of a sheet never belong to the same employee. */
function joinRows(drafts: readonly Draft[], rows: readonly SheetRow[]): ReadonlyMap<number, Draft> {
  const found = joinPeople(
    drafts.map((draft, employee) => ({ ...draft, employee })),
    rows,
  );
  const joined = new Map<number, Draft>();
  for (const [employee = -1, claims] of Map.groupBy(rows.keys(), (index) => found[index]?.employee)) {
    const draft = drafts[employee];
    // If several rows match the same employee, the row with the strongest key is chosen. If several rows match by that
    // key, the one in the employee's group is chosen. If none or several of them are in that group, no row is chosen.
    const surest = ["userId", "workNum", "name"].find((by) => claims.some((index) => found[index]?.by === by));
    const sure = claims.filter((index) => found[index]?.by === surest);
    const [chosen, another] = sure.length === 1 ? sure : sure.filter((index) => rows[index]?.group === draft?.group);
    if (draft && chosen !== undefined && another === undefined) joined.set(chosen, draft);
  }
  return joined;
}
