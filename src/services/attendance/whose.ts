import { explain, Problem } from "#platform/contract/problem.ts";
import { type Db, type Fragment, sql, type Within } from "#platform/database/index.ts";
import { daysOf, listDays, numberOf, type Period } from "./days.ts";
import type { Day } from "./model.ts";
import { places } from "./scope-contract.ts";

// Corrections, objections and confirmations refer to an employee by the fields below, which stay the same after a new
// import.

/** An employee is identified by UserId or, if there is none, by work number. */
export interface Whose {
  readonly userId: string;
  readonly workNumber: string;
  /** In a stored record, this is "" unless several rows of the month share the UserId. */
  readonly group: string;
}

export interface Member extends Whose {
  readonly employee: number;
  readonly keptGroup: string;
  readonly name: string;
  readonly department: string;
}

export interface Asked {
  readonly userId?: string | undefined;
  readonly workNum?: string | undefined;
  readonly groupOfCheck?: string | undefined;
}

export const memberColumns = sql`
  employee, name, department, user_id as "userId", case when user_id = '' then work_number else '' end as "workNumber",
  case when user_id <> '' and exists (
      select from attendance.roster as twin
      where twin.month = roster.month and twin.user_id = roster.user_id and twin.employee <> roster.employee)
    then group_name else '' end as "keptGroup", group_name as "group"`;

export const listMembers = (db: Db, month: string, within: Within, holds: Fragment): Promise<Member[]> =>
  db<Member[]>`
    select ${memberColumns} from attendance.roster where month = ${month} and ${holds} ${within.and(places)} order by employee limit 100`;

/**
 * @throws {Problem} badFormat if neither a UserId nor a work number is given; notFound if nobody matches; notAllowedNow
 * if several employees match
 */
export async function getMember(
  db: Db,
  month: string,
  within: Within,
  { userId, workNum, groupOfCheck }: Asked,
): Promise<Member> {
  if (!userId && !workNum)
    throw explain(
      "badFormat",
      "userId: 未填写 workNum 时不能为空",
      "userId: must not be empty unless workNum is given",
    );
  const asked = Object.entries({ user_id: userId, work_number: workNum, group_name: groupOfCheck });
  const holds = asked.flatMap(([name, text]) => (text ? [sql`${sql.identifier(name)} = ${text}`] : []));
  const found = await listMembers(db, month, within, sql.join(holds, " and "));
  const [one, another] = found;
  if (!one) throw noSuchEmployee();
  if (another) throw severalAreMeant(found.map(({ group }) => group));
  return one;
}

export const noSuchEmployee = (): Problem =>
  explain("notFound", "该月没有这位员工", "this employee is not in the month");

export function severalAreMeant(groups: readonly string[]): Problem {
  const names = [...new Set(groups)].map((group) => `“${group}”`);
  return explain(
    "notAllowedNow",
    `符合条件的员工不止一位，请以 groupOfCheck 指明考勤组：${names.join("、")}`,
    `several employees match; specify groupOfCheck as one of ${names.join(", ")}`,
  );
}

/**
 * SQL that joins a record to `roster`, the employee's row in the month.
 * @param kept the record's table, such as "correction"
 */
export const isOf = (kept: string): Fragment =>
  sql.raw(`roster.month = ${kept}.month and roster.user_id = ${kept}.user_id
    and (roster.user_id <> '' or (roster.work_number = ${kept}.work_number and roster.work_number <> ''))
    and ${kept}.group_name in ('', roster.group_name)`);

export const withRoster = (kept: string): Fragment =>
  sql`left join lateral (select * from attendance.roster where ${isOf(kept)} order by employee limit 1) as roster on true`;

export const isOfScope = (kept: string, within: Within): Fragment =>
  within.isEverywhere
    ? sql`true`
    : sql`exists (select from attendance.roster where ${isOf(kept)} ${within.and(places)})`;

export const isKeptOf = (kept: string, { userId, workNumber, group }: Whose): Fragment => {
  const at = sql.raw(kept);
  return sql`${at}.user_id = ${userId} and ${at}.work_number = ${workNumber} and ${at}.group_name in ('', ${group})`;
};

/**
 * Assigns records that were kept by work number to the UserId which the month's sheets now give the only employee with
 * that number. A record stays as it is if the UserId already has one for the day.
 */
export async function adoptUserIds(tx: Db, month: string): Promise<void> {
  for (const table of ["attendance.correction", "attendance.objection"].map(sql.identifier))
    await tx`
      update ${table} as kept set user_id = known.user_id, work_number = ''
      from (select work_number, min(user_id) as user_id from attendance.roster where month = ${month} group by work_number
        having count(*) = 1) as known
      where kept.month = ${month} and kept.user_id = '' and kept.work_number <> '' and kept.work_number = known.work_number
        and known.user_id <> '' and not exists (
          select from ${table} as other
          where other.month = ${month} and other.user_id = known.user_id and other.day = kept.day)`;
}

export function dayNumbered(period: Period, number: number): Day {
  const day = listDays(daysOf(period)).find((each) => numberOf(each) === number);
  if (day === undefined)
    throw explain("badFormat", `day: ${period.month} 没有 ${number} 日`, `day: ${period.month} has no day ${number}`);
  return day;
}
