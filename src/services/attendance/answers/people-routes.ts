import type * as z from "zod";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, found } from "#platform/contract/problem.ts";
import { toRange } from "#platform/contract/sorting.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { type Db, inSnapshot } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { undoAnalysis } from "#services/attendance/analysis/analysis-store.ts";
import {
  findByUserId,
  type JoinedSheet,
  joinSheets,
  listSettledPeople,
  readKnown,
  type RosterEmployee,
  searchRoster,
  settle,
  type SettledPerson,
  type SettledSheet,
} from "#services/attendance/analysis/people-store.ts";
import { type Decision, isMeant, toBareName, toPersonKey } from "#services/attendance/analysis/people.ts";
import { isValidPunch, readResult } from "#services/attendance/analysis/rules-punches.ts";
import { findSettings } from "#services/attendance/analysis/settings-store.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { sheetNames } from "#services/attendance/days.ts";
import { countAddresses, countMarks, listResultPlaces } from "#services/attendance/import/marks-store.ts";
import { recompose } from "#services/attendance/import/swap-month.ts";
import { addUpStrange, listKeywords, listUnknownDays } from "#services/attendance/import/warnings.ts";
import { type Person, toWirePerson } from "#services/attendance/model.ts";
import { findMonth, holdMonth, type MonthState, refuseLocked } from "#services/attendance/month-store.ts";
import {
  type matchOrder,
  mostAddresses,
  mostPeople,
  type rosterEmployee,
  type unmatched,
} from "#services/attendance/record-contract.ts";
import { severalAreMeant } from "#services/attendance/whose.ts";
import type { ChooseMonth } from "./month-routes.ts";

export function peopleHandlers({ pool, settings }: Platform, chooseMonth: ChooseMonth) {
  return {
    listUnmatched: async ({ query }) =>
      inSnapshot(pool, async (db) =>
        listUnmatched(db, await getMonth(db, await chooseMonth(db, query.month)), settings.TIME_ZONE),
      ),

    listEmployees: async ({ query, within }) =>
      inSnapshot(pool, async (db) => {
        const { month } = await getMonth(db, await chooseMonth(db, query.month));
        const asked = { keyword: query.keyword ?? "", ...toRange(query) };
        const { rows, totalCount } = await searchRoster(db, month, asked, within);
        return toPage(rows.map(toEmployee), totalCount, query);
      }),

    match: async ({ db, body, caller, audit }) => {
      const { month, sheet, userId } = body;
      const match = toMatch(body);
      const { name, userId: own, workNumber: workNum } = match.person;
      audit.records.push(month);
      audit.detail = { sheet, name, userId: own, workNum, as: userId };
      return String(await settlePeople(db, month, [match], caller.userName));
    },

    matchAll: async ({ db, body: { month, matches }, caller, audit }) => {
      audit.records.push(month);
      audit.detail = { people: matches.length, sheets: [...new Set(matches.map(({ sheet }) => sheet))].join() };
      return String(await settlePeople(db, month, matches.map(toMatch), caller.userName));
    },
  } satisfies Partial<Handlers<typeof endpoints>>;
}

async function getMonth(db: Db, month: string): Promise<MonthState> {
  return found(await findMonth(db, month));
}

interface Match {
  readonly sheet: SettledSheet;
  readonly person: Person;
  readonly decision: Decision | null;
}

type MatchOrder = Pick<z.output<typeof matchOrder>, "sheet" | "person" | "userId" | "groupOfCheck">;

const toMatch = ({ sheet, person, userId, groupOfCheck: group = "" }: MatchOrder): Match => ({
  sheet,
  person: { name: person.name, userId: person.userId ?? "", workNumber: person.workNum ?? "" },
  decision: userId === null ? null : { userId, group },
});

/** @returns the number of changed matches */
async function settlePeople(tx: Db, month: string, matches: readonly Match[], by: string): Promise<number> {
  const state = await holdMonth(tx, month);
  if (!state) throw explain("notFound", `${month} 没有任何数据`, `there is no data for ${month}`);
  refuseLocked(state);
  const changed: Match[] = [];
  for (const [sheet, those] of Map.groupBy(matches, (match) => match.sheet)) {
    const people = those.map(({ person }) => person);
    refuseRepeated(people);
    const known = await readKnown(tx, state, sheet, people);
    for (const [index, { isInSheet, as: before }] of known.entries()) {
      const match = those[index];
      if (match && (await isChange(tx, month, match, { isInSheet, before }))) changed.push(match);
    }
    await settle(
      tx,
      sheet,
      changed.filter((match) => match.sheet === sheet),
      by,
    );
  }
  if (changed.length === 0) return 0;
  await undoAnalysis(tx, month);
  await recompose(
    tx,
    month,
    changed.some(({ sheet }) => sheet === "month"),
  );
  return changed.length;
}

function refuseRepeated(people: readonly Person[]): void {
  const [repeated] = [...Map.groupBy(people, toPersonKey).values()].filter((those) => those.length > 1).flat();
  if (repeated) throw explain("badFormat", `“${repeated.name}”重复`, `"${repeated.name}" occurs more than once`);
}

async function isChange(
  tx: Db,
  month: string,
  { sheet, person, decision }: Match,
  { isInSheet, before }: { readonly isInSheet: boolean; readonly before: Decision | null },
): Promise<boolean> {
  const { name } = person;
  if (!decision && !before) throw explain("notFound", `“${name}”未曾手工对应`, `"${name}" has no manual match`);
  if (decision && !isInSheet)
    throw explain("notFound", `${sheetNames[sheet]}中没有“${name}”`, `${sheetNames[sheet]} does not contain "${name}"`);
  if (decision && decision.userId !== "") {
    const { userId, group } = decision;
    const found = await findByUserId(tx, month, userId, group);
    if (found.length > 1) throw severalAreMeant(found.map((each) => each.group));
    if (found.length === 0)
      throw explain(
        "notFound",
        `${month} 没有 UserId 为 ${userId} 的员工`,
        `there is no employee with the userId ${userId} in ${month}`,
      );
    if (sheet === "month" && person.userId === userId)
      throw explain("notAllowedNow", "该行本来就属于此员工，无需对应", "this row already belongs to this employee");
  }
  return before?.userId !== decision?.userId || before?.group !== decision?.group;
}

type Unmatched = z.input<typeof unmatched>;

const mostResults = 100;
const mostCandidates = 5;

async function listUnmatched(db: Db, state: MonthState, zone: string): Promise<Unmatched> {
  const { month, spans } = state;
  const { employees, sheets } = await joinSheets(db, state);
  const marks = await countMarks(db, spans, listKeywords(await findSettings(db)));
  const results = marks.results.filter(({ result }) => readResult(result) === "unknown").slice(0, mostResults);
  const places = await listResultPlaces(db, spans, results);
  const strange = addUpStrange(marks.strange).slice(0, mostAddresses);
  return {
    month,
    people: listPeople(employees, sheets).slice(0, mostPeople),
    results: [
      ...(await listUnknownDays(db, state))
        .slice(0, mostResults)
        .map(({ examples, ...each }) => ({ sheet: sheetNames.month, ...each, examples: [...examples] })),
      ...results.map((each) => ({ ...each, sheet: sheetNames[each.sheet], examples: [...(places.get(each) ?? [])] })),
    ],
    addresses: await countAddresses(db, spans, {
      addresses: strange.map(({ address }) => address),
      results: marks.results.map(({ result }) => result).filter(isValidPunch),
    }),
    settled: await listDecisions(db, state, employees, zone),
  };
}

function listPeople(employees: readonly RosterEmployee[], sheets: readonly JoinedSheet[]): Unmatched["people"] {
  // Unlike the rules, an operator may match people by name or number alone, so employees who share either are proposed.
  const byName = Map.groupBy(employees, ({ name }) => toBareName(name));
  const byNumber = Map.groupBy(employees, ({ workNumber }) => workNumber);
  const propose = ({ name, workNumber }: Person) => {
    const numbered = workNumber === "" ? [] : (byNumber.get(workNumber) ?? []);
    const alike = new Set([...(byName.get(toBareName(name)) ?? []), ...numbered]);
    return [...alike].slice(0, mostCandidates).map(toEmployee);
  };
  const toPerson = (person: Person, kind: Unmatched["people"][number]["kind"], lackedBy: string, rows: number) => ({
    ...toWirePerson(person),
    kind,
    sheet: sheetNames[kind],
    lackedBy,
    rows,
  });
  return sheets.flatMap(({ sheet, unmatched: strangers, lacking }) => [
    ...strangers.map((person) => ({
      ...toPerson(person, sheet, sheetNames.month, person.rows),
      candidates: propose(person),
    })),
    ...lacking.map((person) => ({ ...toPerson(person, "month", sheetNames[sheet], 1), candidates: [] })),
  ]);
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
    ...toWirePerson(settled),
    kind: settled.sheet,
    sheet: sheetNames[settled.sheet],
    as:
      settled.as.userId === ""
        ? null
        : {
            userId: settled.as.userId,
            groupOfCheck: settled.as.group,
            workName: employees.find((employee) => isMeant(employee, settled.as))?.name ?? "",
          },
    settledBy: settled.settledBy,
    settleTime: formatDateTime(settled.settledAt, zone),
  }));
}

const toEmployee = ({ group, department, ...person }: RosterEmployee): z.input<typeof rosterEmployee> => ({
  ...toWirePerson(person),
  groupOfCheck: group,
  department,
});
