import { type Db, type Fragment, sql } from "#platform/database/index.ts";
import { listImportsOf } from "#services/attendance/coverage.ts";
import type { Person } from "#services/attendance/model.ts";
import type { MonthState } from "#services/attendance/month-store.ts";
import { type Decision, type Settled, toPersonKey } from "./people.ts";

/** The sheets whose people can be settled; `work` is that of identity cards. */
export type SettledSheet = "month" | "daily" | "original" | "work";

/** A person of a sheet, and whom somebody settled them as. */
export interface SettledPerson extends Person {
  readonly sheet: SettledSheet;
  readonly employeeUserId: string;
  readonly employeeGroup: string;
  readonly settledAt: Date;
  readonly settledBy: string;
}

const columns = sql`
  sheet, name, user_id as "userId", work_number as "workNumber", employee_user_id as "employeeUserId",
  employee_group as "employeeGroup", settled_at as "settledAt", settled_by as "settledBy"`;

type Sheets = Pick<MonthState, "spans" | "workImport">;

const importsOf = ({ spans, workImport }: Sheets, sheet: SettledSheet): number[] =>
  sheet === "work" ? (workImport === null ? [] : [workImport]) : listImportsOf(spans, sheet);

const peopleOf = (sheet: SettledSheet): Fragment =>
  sql.identifier(sheet === "month" ? "attendance.employee" : "attendance.person");

/** Everybody in a sheet of the month who was settled. */
export async function listSettledPeople(db: Db, sheets: Sheets, sheet: SettledSheet): Promise<SettledPerson[]> {
  return db<SettledPerson[]>`
    select ${columns} from attendance.settled
    where sheet = ${sheet} and exists (
      select from ${peopleOf(sheet)} as person
      where import_id = any(${importsOf(sheets, sheet)}::bigint[]) and person.name = settled.name
        and person.user_id = settled.user_id and person.work_number = settled.work_number)
    order by name, user_id, work_number`;
}

/**
 * What holds of the people of a sheet in a month: who is nobody, and who is an employee whom its month sheets have.
 * Whoever is settled as somebody else is found by the rules there.
 * @param monthImports those that give days of the month sheet
 */
export async function listSettled(db: Db, sheet: SettledSheet, monthImports: readonly number[]): Promise<Settled> {
  const rows = await db<SettledPerson[]>`
    select ${columns} from attendance.settled
    where sheet = ${sheet} and (employee_user_id = '' or exists (
      select from attendance.employee where import_id = any(${[...monthImports]}::bigint[]) and user_id = employee_user_id))`;
  return new Map(rows.map((row) => [toPersonKey(row), toDecision(row)]));
}

const toDecision = ({ employeeUserId, employeeGroup }: SettledPerson): Decision => ({
  userId: employeeUserId,
  group: employeeGroup,
});

const isPerson = (sheet: SettledSheet, { name, userId, workNumber }: Person): Fragment => sql`
  sheet = ${sheet} and name = ${name} and user_id = ${userId} and work_number = ${workNumber}`;

/** What was settled of a person of a sheet, if anything was. */
export async function findSettled(db: Db, sheet: SettledSheet, person: Person): Promise<Decision | undefined> {
  const [row] = await db<SettledPerson[]>`
    select ${columns} from attendance.settled where ${isPerson(sheet, person)}`;
  return row && toDecision(row);
}

export async function saveSettled(
  tx: Db,
  sheet: SettledSheet,
  person: Person,
  decision: Decision,
  settledBy: string,
): Promise<void> {
  await tx`
    insert into attendance.settled (sheet, name, user_id, work_number, employee_user_id, employee_group, settled_by)
    values (${sheet}, ${person.name}, ${person.userId}, ${person.workNumber}, ${decision.userId}, ${decision.group}, ${settledBy})
    on conflict (sheet, name, user_id, work_number) do update
      set employee_user_id = excluded.employee_user_id, employee_group = excluded.employee_group,
        settled_by = excluded.settled_by, settled_at = now()`;
}

export async function removeSettled(tx: Db, sheet: SettledSheet, person: Person): Promise<void> {
  await tx`delete from attendance.settled where ${isPerson(sheet, person)}`;
}

/** Whether a sheet of the month has that person. */
export async function hasPerson(
  db: Db,
  sheets: Sheets,
  sheet: SettledSheet,
  { name, userId, workNumber }: Person,
): Promise<boolean> {
  const rows = await db`
    select from ${peopleOf(sheet)}
    where import_id = any(${importsOf(sheets, sheet)}::bigint[]) and name = ${name} and user_id = ${userId}
      and work_number = ${workNumber} limit 1`;
  return rows.length > 0;
}
