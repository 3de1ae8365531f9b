import { explain } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { toBareName } from "#services/attendance/analysis/people.ts";
import { type Member, memberColumns, noSuchEmployee, severalAreMeant } from "#services/attendance/whose.ts";

export interface OwnMember extends Member {
  readonly month: string;
}

/**
 * Finds the rows of the employee with this number, newest month first. The number is a work number or, if nobody has
 * ever had it as a work number, a UserId. Rows of an earlier holder of the number are excluded.
 * @throws {Problem} notAllowedNow if several people share the number in the newest month
 */
export async function findSelf(db: Db, number: string): Promise<OwnMember[]> {
  const rows = await db<OwnMember[]>`
    select month, ${memberColumns} from attendance.roster
    where work_number = ${number}
      or (user_id = ${number} and not exists (select from attendance.roster where work_number = ${number}))
    order by month desc, employee`;
  const newest = rows.filter(({ month }) => month === rows[0]?.month);
  const people = new Set(newest.map(({ userId, name }) => userId || toBareName(name)));
  if (people.size > 1)
    throw explain(
      "notAllowedNow",
      "该工号对应不止一位员工，请联系考勤管理员",
      "more than one employee has this number; contact the attendance administrator",
    );
  const [self] = newest;
  return self ? rows.filter((row) => isSame(row, self)) : [];
}

const isSame = (one: Member, other: Member): boolean =>
  one.userId && other.userId ? one.userId === other.userId : toBareName(one.name) === toBareName(other.name);

/**
 * Returns the employee's row in the month.
 * @throws {Problem} notFound if there is none; notAllowedNow if there are several, or as in `findSelf`
 */
export async function getOwn(
  db: Db,
  number: string,
  { month, groupOfCheck }: { readonly month: string; readonly groupOfCheck?: string | undefined },
): Promise<OwnMember> {
  const rows = (await findSelf(db, number)).filter((row) => row.month === month);
  const meant = groupOfCheck ? rows.filter(({ group }) => group === groupOfCheck) : rows;
  const [one, another] = meant;
  if (!one) throw noSuchEmployee();
  if (another) throw severalAreMeant(meant.map(({ group }) => group));
  return one;
}
