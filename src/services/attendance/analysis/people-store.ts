import { type Bilingual, countOf } from "#platform/contract/language.ts";
import { type PageWithTotal, type Db, type Fragment, sql, toCopyLine, type Within } from "#platform/database/index.ts";
import { listImportsOf, sheetNames } from "#services/attendance/days.ts";
import { type Person, type Span, warnIf } from "#services/attendance/model.ts";
import type { MonthState } from "#services/attendance/month-store.ts";
import { places } from "#services/attendance/scope-contract.ts";
import { copyText } from "#services/attendance/stored-rows.ts";
import { listPeople, type Pair, type SheetPerson } from "./analysis-store.ts";
import {
  type Candidate,
  type Decision,
  isMeant,
  joinPeople,
  openRoster,
  type Settled,
  type SheetRow,
  toPersonKey,
} from "./people.ts";

export interface JoinedSheet {
  readonly sheet: "daily" | "original" | "work";
  readonly pairs: readonly Pair[];
  /**
   * People whom no rule matches to an employee with certainty. Those whom an operator has matched to nobody are left
   * out.
   */
  readonly unmatched: readonly SheetPerson[];
  readonly lacking: readonly RosterEmployee[];
}

export async function joinSheets(db: Db, state: MonthState) {
  const employees = await db<RosterEmployee[]>`
    select ${columns} from attendance.roster where month = ${state.month} order by employee`;
  const sheets: JoinedSheet[] = [];
  for (const sheet of ["daily", "original", "work"] as const) {
    const people = await listPeople(db, importsOf(state, sheet));
    if (people.length === 0) continue;
    const settled = await listSettled(db, sheet, importsOf(state, "month"));
    const matched = matchPeople(employees, people, settled);
    const found = new Set(matched.pairs.map(({ employee }) => employee));
    const unmatched = [...Map.groupBy(matched.unmatched, toPersonKey).values()].flatMap(([one, ...others]) =>
      one ? { ...one, rows: others.reduce((sum, { rows }) => sum + rows, one.rows) } : [],
    );
    sheets.push({
      sheet,
      pairs: matched.pairs,
      unmatched,
      lacking: employees.filter(({ employee }) => !found.has(employee)),
    });
  }
  return { employees, sheets };
}

export function warnOfPeople(employees: readonly Person[], sheets: readonly JoinedSheet[]): Bilingual[] {
  if (employees.length === 0) return [];
  return sheets.flatMap(({ sheet, unmatched, lacking }) => {
    const name = sheetNames[sheet];
    const [strangers, missing] = [unmatched.length, lacking.length];
    return [
      ...warn(
        unmatched,
        `${name}中有 ${strangers} 人无法对应到月度汇总`,
        `${countOf(strangers, `person in ${name} is`, `people in ${name} are`)} not found in the monthly summary`,
      ),
      // 每日统计 has no rows for an employee without days, so employees who are missing from it cause no warning.
      ...warn(
        sheet === "daily" ? [] : lacking,
        `月度汇总中有 ${missing} 人不在${name}中`,
        `${countOf(missing, "person in the monthly summary is", "people in the monthly summary are")} not found in ${name}`,
      ),
    ];
  });
}

const shownPeople = 10;

function warn(people: readonly Person[], zh: string, en: string): Bilingual[] {
  const shown = people.slice(0, shownPeople).map(({ name }) => name);
  const names = shown.join("、") + (people.length > shownPeople ? "…" : "");
  return warnIf(people.length > 0, `${zh}：${names}`, `${en}: ${names}`);
}

/** Matches made by an operator take precedence over the rules (A4, A21). */
function matchPeople(employees: readonly RosterEmployee[], people: readonly SheetPerson[], settled: Settled) {
  const matched: { pairs: Pair[]; unmatched: SheetPerson[] } = { pairs: [], unmatched: [] };
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

export interface RosterEmployee extends Candidate {
  readonly employee: number;
  readonly group: string;
  readonly department: string;
}

export async function composeRoster(tx: Db, month: string, spans: readonly Span[]): Promise<void> {
  const imports = listImportsOf(spans, "month");
  const roster = openRoster(await listSettled(tx, "month", imports));
  for (const importId of imports)
    roster.add(
      importId,
      await tx<SheetRow[]>`
        select row, name, user_id as "userId", work_number as "workNumber", group_name as "group", department
        from attendance.employee where import_id = ${importId} order by row`,
    );
  const lines = roster
    .list()
    .map(({ name, userId, workNumber, group, department, imports, rows }, index) =>
      toCopyLine([month, index + 1, name, userId, workNumber, group, department, imports, rows]),
    );
  await tx`delete from attendance.roster where month = ${month}`;
  await copyText(tx, "roster", [Buffer.from(lines.join(""))]);
  await tx`update attendance.month set employees = ${lines.length} where month = ${month}`;
}

const columns = sql`
  employee, name, user_id as "userId", work_number as "workNumber", group_name as "group", department`;

export async function searchRoster(
  db: Db,
  month: string,
  { keyword, offset, limit }: { readonly keyword: string; readonly offset: number; readonly limit: number },
  within: Within,
): Promise<PageWithTotal<RosterEmployee>> {
  const wanted = sql`
    attendance.roster where month = ${month}
      and (${keyword} = '' or position(lower(${keyword}) in lower(concat_ws(chr(31), name, user_id, work_number))) > 0)
      ${within.and(places)}`;
  const rows = await db<RosterEmployee[]>`
    select ${columns} from ${wanted}
    order by department collate "C", work_number collate "C", name collate "C", employee limit ${limit} offset ${offset}`;
  return { rows, totalCount: await db.value<number>`select count(*) from ${wanted}` };
}

export async function findByUserId(db: Db, month: string, userId: string, group: string): Promise<RosterEmployee[]> {
  return db<RosterEmployee[]>`
    select ${columns} from attendance.roster
    where month = ${month} and user_id = ${userId} and (${group} = '' or group_name = ${group}) order by employee`;
}

/** The sheets whose people an operator can match. "work" is the list of identity cards. */
export type SettledSheet = "month" | "daily" | "original" | "work";

export interface SettledPerson extends Person {
  readonly sheet: SettledSheet;
  readonly as: Decision;
  readonly settledAt: Date;
  readonly settledBy: string;
}

const settledColumns = sql`
  sheet, name, user_id as "userId", work_number as "workNumber",
  json_build_object('userId', employee_user_id, 'group', employee_group) as "as", settled_at as "settledAt", settled_by as "settledBy"`;

type Sheets = Pick<MonthState, "spans" | "workImport">;

const importsOf = ({ spans, workImport }: Sheets, sheet: SettledSheet): number[] =>
  sheet === "work" ? (workImport === null ? [] : [workImport]) : listImportsOf(spans, sheet);

const peopleOf = (sheet: SettledSheet): Fragment =>
  sql.identifier(sheet === "month" ? "attendance.employee" : "attendance.person");

export async function listSettledPeople(db: Db, sheets: Sheets, sheet: SettledSheet): Promise<SettledPerson[]> {
  return db<SettledPerson[]>`
    select ${settledColumns} from attendance.settled
    where sheet = ${sheet} and exists (
      select from ${peopleOf(sheet)} as person
      where import_id = any(${importsOf(sheets, sheet)}::bigint[]) and person.name = settled.name
        and person.user_id = settled.user_id and person.work_number = settled.work_number)
    order by name, user_id, work_number`;
}

async function listSettled(db: Db, sheet: SettledSheet, monthImports: readonly number[]): Promise<Settled> {
  const rows = await db<SettledPerson[]>`
    select ${settledColumns} from attendance.settled
    where sheet = ${sheet} and (employee_user_id = '' or exists (
      select from attendance.employee where import_id = any(${[...monthImports]}::bigint[]) and user_id = employee_user_id))`;
  return new Map(rows.map((row) => [toPersonKey(row), row.as]));
}

interface KnownPerson {
  readonly isInSheet: boolean;
  readonly as: Decision | null;
}

const arraysOf = (people: readonly Person[]): Fragment => sql`
  ${people.map(({ name }) => name)}::text[], ${people.map(({ userId }) => userId)}::text[],
  ${people.map(({ workNumber }) => workNumber)}::text[]`;

/** Returns one row for each of `people`, in the same order. */
export const readKnown = (db: Db, sheets: Sheets, sheet: SettledSheet, people: readonly Person[]) =>
  db<KnownPerson[]>`
    select listed.name is not null as "isInSheet", case when settled.name is not null
      then json_build_object('userId', employee_user_id, 'group', employee_group) end as "as"
    from unnest(${arraysOf(people)}) with ordinality as person (name, user_id, work_number, place)
    left join (
      select distinct name, user_id, work_number from ${peopleOf(sheet)}
      where import_id = any(${importsOf(sheets, sheet)}::bigint[])) as listed using (name, user_id, work_number)
    left join (select * from attendance.settled where sheet = ${sheet}) as settled using (name, user_id, work_number)
    order by place`;

/**
 * Stores an operator's matches, which replace earlier matches of the same people. If the decision is null, the person's
 * earlier match is deleted.
 */
export async function settle(
  tx: Db,
  sheet: SettledSheet,
  matches: readonly { readonly person: Person; readonly decision: Decision | null }[],
  settledBy: string,
): Promise<void> {
  const undone = matches.flatMap(({ person, decision }) => (decision ? [] : [person]));
  await tx`
    delete from attendance.settled using unnest(${arraysOf(undone)}) as person (name, user_id, work_number)
    where sheet = ${sheet} and settled.name = person.name and settled.user_id = person.user_id
      and settled.work_number = person.work_number`;
  const made = matches.flatMap(({ person, decision }) => (decision ? [{ person, decision }] : []));
  await tx`
    insert into attendance.settled (sheet, name, user_id, work_number, employee_user_id, employee_group, settled_by)
    select ${sheet}, person.*, ${settledBy} from unnest(${arraysOf(made.map(({ person }) => person))},
      ${made.map(({ decision }) => decision.userId)}::text[], ${made.map(({ decision }) => decision.group)}::text[]) as person
    on conflict (sheet, name, user_id, work_number) do update
      set employee_user_id = excluded.employee_user_id, employee_group = excluded.employee_group,
        settled_by = excluded.settled_by, settled_at = now()`;
}
