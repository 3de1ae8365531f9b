import type { Range } from "#platform/contract/sorting.ts";
import { type PageWithTotal, type Db, type Fragment, sql, Within } from "#platform/database/index.ts";
import { writeDay } from "#services/attendance/days.ts";
import type { Correction, Day } from "#services/attendance/model.ts";
import { isOf, isOfScope, listMembers, type Member, type Whose, withRoster } from "#services/attendance/whose.ts";

interface Said {
  readonly month: string;
  readonly day: Day;
  readonly kind: "forgot" | "outside" | "leave" | "system" | "other";
  readonly text: string;
  readonly files: readonly string[];
  readonly punches?: readonly { readonly slot: string; readonly time: string }[] | undefined;
}

export interface ObjectionRow extends Said, Whose {
  readonly id: number;
  readonly name: string;
  readonly punches: readonly { readonly slot: string; readonly time: string }[];
  readonly state: "open" | "accepted" | "refused";
  readonly madeAt: Date;
  readonly judgedAt: Date | null;
  readonly judgedBy: string | null;
  readonly note: string | null;
  readonly correction: Pick<Correction, "kind" | "campus" | "hours"> | null;
}

interface ListedObjection extends ObjectionRow {
  /** Null if the employee is no longer in the month. */
  readonly employee: number | null;
  readonly department: string | null;
}

const columns = sql`
  objection.id, objection.month, objection.user_id as "userId", objection.work_number as "workNumber",
  objection.group_name as "group", objection.name, objection.day - date '1970-01-01' as day, objection.kind, text, files, punches,
  state, objection.made_at as "madeAt", judged_at as "judgedAt", judged_by as "judgedBy", note,
  (select json_build_object('kind', made.kind, 'campus', made.campus, 'hours', made.hours::float)
    from attendance.correction as made where made.objection_id = objection.id and made.undone_at is null) as correction`;

export const holderOf = (id: number): string => `objection/${id}`;

export const listHolders = async (db: Db, month: string): Promise<string[]> =>
  (await db.values<number>`select id from attendance.objection where month = ${month} and files <> '{}'`).map(holderOf);

/** Fails with a violation of `objection_of_day` if the day already has an open objection. */
export async function insertObjection(tx: Db, member: Member, said: Said): Promise<number> {
  const { userId, workNumber, keptGroup, name } = member;
  const { month, day, kind, text, files, punches = [] } = said;
  return tx.value<number>`
    insert into attendance.objection (month, user_id, work_number, group_name, name, day, kind, text, files, punches)
    values (${month}, ${userId}, ${workNumber}, ${keptGroup}, ${name}, ${writeDay(day)}, ${kind}, ${text}, ${[...files]},
      ${JSON.stringify(punches)})
    returning id`;
}

const listPage = async <Row extends ObjectionRow>(
  db: Db,
  { from, more }: { readonly from: Fragment; readonly more?: Fragment },
  { descending, offset, limit }: Range,
): Promise<PageWithTotal<Row>> => ({
  rows: await db<Row[]>`
    select ${columns}${more ?? sql``} ${from} order by objection.id ${sql.raw(descending ? "desc" : "asc")} limit ${limit} offset ${offset}`,
  totalCount: await db.value<number>`select count(*) ${from}`,
});

/** Without a UserId, only objections of the own months count, since others may have had the number before. */
export const listOwnObjections = (
  db: Db,
  own: readonly (Whose & { readonly month: string })[],
  range: Range,
): Promise<PageWithTotal<ObjectionRow>> => {
  const [ids, numbers] = [own.map(({ userId }) => userId), own.map(({ workNumber }) => workNumber)];
  const from = sql`
    from attendance.objection
    where (objection.user_id, objection.work_number) in (select * from unnest(${ids}::text[], ${numbers}::text[]))
      and (user_id <> '' or month = any(${own.map(({ month }) => month)}))`;
  return listPage(db, { from }, range);
};

interface ObjectionFilter {
  readonly month?: string | undefined;
  readonly state?: ObjectionRow["state"] | undefined;
  readonly department?: string | undefined;
}

export const listObjections = (
  db: Db,
  { month, state, department }: ObjectionFilter,
  within: Within,
  range: Range,
): Promise<PageWithTotal<ListedObjection>> => {
  const wanted = [
    isOfScope("objection", within),
    ...(month === undefined ? [] : [sql`objection.month = ${month}`]),
    ...(state === undefined ? [] : [sql`state = ${state}`]),
    ...(department === undefined ? [] : [sql`roster.department = ${department}`]),
  ];
  const from = sql`from attendance.objection ${withRoster("objection")} where ${sql.join(wanted, " and ")}`;
  return listPage(db, { from, more: sql`, roster.employee, roster.department` }, range);
};

export const findObjection = (db: Db, id: number, within: Within): Promise<ObjectionRow | undefined> =>
  db.first<ObjectionRow>`
    select ${columns} from attendance.objection ${withRoster("objection")}
    where objection.id = ${id} and ${isOfScope("objection", within)}`;

/** Returns false if the objection has been decided before, even by a concurrent call. */
export const judgeObjection = async (
  tx: Db,
  id: number,
  verdict: { readonly state: "accepted" | "refused"; readonly note: string; readonly by: string },
): Promise<boolean> =>
  (await tx.count`
    update attendance.objection
    set state = ${verdict.state}, note = ${verdict.note}, judged_by = ${verdict.by}, judged_at = now()
    where id = ${id} and state = 'open'`) === 1;

export const findObjector = async (db: Db, { id, month }: Pick<ObjectionRow, "id" | "month">) =>
  (
    await listMembers(
      db,
      month,
      Within.everywhere,
      sql`exists (select from attendance.objection where id = ${id} and ${isOf("objection")})`,
    )
  )[0];

export const isFileWithin = async (db: Db, name: string, within: Within): Promise<boolean> =>
  (await db.count`
    select from attendance.objection ${withRoster("objection")}
    where ${name} = any(files) and ${isOfScope("objection", within)} limit 1`) > 0;
