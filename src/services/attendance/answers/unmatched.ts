import type * as z from "zod";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import { type JoinedSheet, joinSheets } from "#services/attendance/analysis/join-sheets.ts";
import { toBareName } from "#services/attendance/analysis/people.ts";
import type { RosterEmployee } from "#services/attendance/analysis/roster-store.ts";
import { isMeant } from "#services/attendance/analysis/roster.ts";
import { isValidPunch, readResult } from "#services/attendance/analysis/rules-results.ts";
import { findSettings } from "#services/attendance/analysis/settings-store.ts";
import { listSettledPeople, type SettledPerson } from "#services/attendance/analysis/settled-store.ts";
import { sheetNames } from "#services/attendance/coverage.ts";
import { countAddresses, countMarks, listResultPlaces, type Marks } from "#services/attendance/import/marks-store.ts";
import { listKeywords, addUpStrange } from "#services/attendance/import/told.ts";
import { listUnknownDays } from "#services/attendance/import/unknown-days.ts";
import type { Person, Span } from "#services/attendance/model.ts";
import type { MonthState } from "#services/attendance/month-store.ts";
import type { unmatched } from "#services/attendance/record-contract.ts";
import { toEmployee } from "./wire-rows.ts";

type Unmatched = z.input<typeof unmatched>;

// A list that people go through by hand; a whole sheet that fits nobody is one fault, not eight thousand.
const mostPeople = 2000;
const mostResults = 100;
const mostAddresses = 500;
const mostCandidates = 5;

/** Who stands in one sheet and not in another, the results that no rule knows, and the addresses of no campus. */
export async function listUnmatched(db: Db, state: MonthState, zone: string): Promise<Unmatched> {
  const { month, spans } = state;
  const { employees, sheets } = await joinSheets(db, state);
  const marks = await countMarks(db, spans, listKeywords(await findSettings(db)));
  return {
    month,
    people: listPeople(employees, sheets).slice(0, mostPeople),
    results: [...(await listDayResults(db, state)), ...(await listResults(db, spans, marks))],
    addresses: await listAddresses(db, spans, marks),
    settled: await listDecisions(db, state, employees, zone),
  };
}

function listPeople(employees: readonly RosterEmployee[], sheets: readonly JoinedSheet[]): Unmatched["people"] {
  const propose = openProposals(employees);
  return sheets.flatMap(({ sheet, unmatched: strangers, lacking }) => [
    ...strangers.map((person) => ({
      ...toPerson(person, sheet, sheetNames.month, person.rows),
      candidates: propose(person),
    })),
    ...lacking.map((person) => ({ ...toPerson(person, "month", sheetNames[sheet], 1), candidates: [] })),
  ]);
}

const toPerson = (
  { name, userId, workNumber }: Person,
  kind: Unmatched["people"][number]["kind"],
  lackedBy: string,
  rows: number,
) => ({ workName: name, userId, workNum: workNumber, kind, sheet: sheetNames[kind], lackedBy, rows });

/** Finds employees of the same name or number, among whom a person may be found whom the rules must not guess. */
function openProposals(employees: readonly RosterEmployee[]) {
  const byName = Map.groupBy(employees, ({ name }) => toBareName(name));
  const byNumber = Map.groupBy(employees, ({ workNumber }) => workNumber);
  return ({ name, workNumber }: Person) => {
    const alike = [
      ...(byName.get(toBareName(name)) ?? []),
      ...(workNumber === "" ? [] : (byNumber.get(workNumber) ?? [])),
    ];
    return [...new Set(alike)].slice(0, mostCandidates).map(toEmployee);
  };
}

async function listDayResults(db: Db, { month, spans }: MonthState): Promise<Unmatched["results"]> {
  const found = (await listUnknownDays(db, month, spans)).slice(0, mostResults);
  return found.map(({ examples, ...each }) => ({ sheet: sheetNames.month, ...each, examples: [...examples] }));
}

async function listResults(db: Db, spans: readonly Span[], { results }: Marks): Promise<Unmatched["results"]> {
  const unknown = results.filter(({ result }) => readResult(result) === "unknown").slice(0, mostResults);
  const places = await listResultPlaces(db, spans, unknown);
  return unknown.map((found) => ({
    sheet: sheetNames[found.sheet],
    result: found.result,
    count: found.count,
    examples: [...(places.get(found) ?? [])],
  }));
}

async function listAddresses(
  db: Db,
  spans: readonly Span[],
  { results, strange }: Marks,
): Promise<Unmatched["addresses"]> {
  return countAddresses(db, spans, {
    addresses: addUpStrange(strange)
      .slice(0, mostAddresses)
      .map(({ address }) => address),
    results: results.map(({ result }) => result).filter(isValidPunch),
  });
}

async function listDecisions(
  db: Db,
  state: MonthState,
  employees: readonly RosterEmployee[],
  zone: string,
): Promise<Unmatched["settled"]> {
  const decisions: SettledPerson[] = [];
  for (const sheet of ["month", "daily", "original", "work"] as const)
    decisions.push(...(await listSettledPeople(db, state, sheet)));
  return decisions.map((settled) => ({
    workName: settled.name,
    userId: settled.userId,
    workNum: settled.workNumber,
    kind: settled.sheet,
    sheet: sheetNames[settled.sheet],
    as: toTarget(settled, employees),
    settledBy: settled.settledBy,
    settleTime: formatDateTime(settled.settledAt, zone),
  }));
}

function toTarget({ employeeUserId, employeeGroup }: SettledPerson, employees: readonly RosterEmployee[]) {
  if (employeeUserId === "") return null;
  const decision = { userId: employeeUserId, group: employeeGroup };
  const found = employees.find((employee) => isMeant(employee, decision));
  return { userId: employeeUserId, groupOfCheck: employeeGroup, workName: found?.name ?? "" };
}
