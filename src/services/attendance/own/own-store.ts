import type { Places } from "#platform/contract/scope.ts";
import { type Db, type Fragment, sql, type Within } from "#platform/database/index.ts";
import { isKeptOf, isOf, type Member } from "#services/attendance/whose.ts";
import type { OwnMember } from "./self-store.ts";

interface OwnMonth {
  readonly month: string;
  readonly groupOfCheck: string;
  readonly statu: 0 | 1 | 2 | 3;
  readonly locked: boolean;
  readonly confirmed: boolean;
  readonly openObjections: number;
}

// A confirmation contains a digest of the row, so a change of the row invalidates the confirmation.
const digest = sql`md5(result.data::text || coalesce(result.extra::text, ''))`;
const confirmation: Fragment = sql`
  attendance.confirmation where ${isOf("confirmation")} and confirmation.digest = ${digest}`;
const openObjections: Fragment = sql`attendance.objection where ${isOf("objection")} and objection.state = 'open'`;

export const listOwnMonths = (db: Db, own: readonly OwnMember[]): Promise<OwnMonth[]> =>
  db<OwnMonth[]>`
    select roster.month, group_name as "groupOfCheck", statu, version_id is not null as locked,
      statu = 2 and exists (select from ${confirmation}) as confirmed,
      (select count(*) from ${openObjections}) as "openObjections"
    from unnest(${own.map(({ month }) => month)}::text[], ${own.map(({ employee }) => employee)}::int[]) as own (month, employee)
      join attendance.roster using (month, employee)
      join attendance.month using (month)
      left join (select month, row, data, extra from attendance.result) as result
        on result.month = roster.month and result.row = roster.employee
    order by roster.month desc, roster.employee`;

export const hasOpenObjection = async (db: Db, month: string, member: Member): Promise<boolean> =>
  (await db.count`
    select from attendance.objection
    where month = ${month} and state = 'open' and ${isKeptOf("objection", member)} limit 1`) > 0;

export async function confirm(
  tx: Db,
  month: string,
  { employee, userId, workNumber, keptGroup }: Member,
): Promise<void> {
  await tx`
    insert into attendance.confirmation (month, user_id, work_number, group_name, digest)
    select month, ${userId}, ${workNumber}, ${keptGroup}, ${digest} from attendance.result
    where month = ${month} and row = ${employee}
    on conflict (month, user_id, work_number, group_name) do update set digest = excluded.digest, confirmed_at = now()`;
}

interface Confirming {
  readonly userId: string;
  readonly workNum: string;
  readonly workName: string;
  readonly department: string;
  readonly groupOfCheck: string;
  readonly isObjecting: boolean;
  readonly confirmedAt: Date | null;
}

const rosterPlaces: Places = { department: "roster.department", groupOfCheck: "roster.group_name" };

export const listConfirming = (db: Db, month: string, within: Within): Promise<Confirming[]> =>
  db<Confirming[]>`
    select roster.user_id as "userId", roster.work_number as "workNum", roster.name as "workName", roster.department,
      roster.group_name as "groupOfCheck", exists (select from ${openObjections}) as "isObjecting",
      (select confirmed_at from ${confirmation} limit 1) as "confirmedAt"
    from attendance.roster join attendance.result on result.month = roster.month and result.row = roster.employee
    where roster.month = ${month} ${within.and(rosterPlaces)}
    order by roster.department collate "C", roster.work_number collate "C", roster.name collate "C", roster.employee`;

export async function keepOwnFile(tx: Db, name: string, number: string): Promise<void> {
  await tx`insert into attendance.own_file (name, employee) values (${name}, ${number}) on conflict do nothing`;
}

export const listOwnFiles = (db: Db, names: readonly string[], number: string): Promise<string[]> =>
  db.values<string>`
    select name from attendance.own_file where name = any(${[...names]}) and employee = ${number}`;
