import type { Person } from "#services/attendance/model.ts";
import { type Decision, type Found, type Settled, joinPeople, toPersonKey } from "./people.ts";

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

interface Place {
  readonly importId: number;
  readonly row: number;
  readonly order: number;
}

interface Draft extends Person {
  name: string;
  userId: string;
  workNumber: string;
  group: string;
  department: string;
  readonly places: Place[];
}

export interface Roster {
  /** Adds the rows of the next month sheet, in the order of the days that they are of. */
  add(importId: number, rows: readonly SheetRow[]): void;
  list(): Member[];
}

/** @param settled of the month sheet: rows that are another employee's, or nobody's */
export function openRoster(settled: Settled): Roster {
  const drafts: Draft[] = [];
  const moved: { readonly draft: Draft; readonly decision: Decision }[] = [];
  let order = 0;
  const toDraft = (importId: number, row: SheetRow): Draft => ({ ...row, places: [{ importId, row: row.row, order }] });
  return {
    add(importId, rows) {
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
    list() {
      for (const { draft, decision } of moved) {
        const [chosen, another] = drafts.filter((employee) => isMeant(employee, decision));
        if (chosen && !another) chosen.places.push(...draft.places);
        else drafts.push(draft);
      }
      return drafts.map(toMember);
    },
  };
}

/** Whether an employee is the one whom a decision names. */
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

function toMember({ places, name, userId, workNumber, group, department }: Draft): Member {
  const inOrder = places.toSorted((left, right) => left.order - right.order);
  return {
    name,
    userId,
    workNumber,
    group,
    department,
    imports: inOrder.map(({ importId }) => importId),
    rows: inOrder.map(({ row }) => row),
  };
}
