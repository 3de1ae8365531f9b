import { type PageWithTotal, type Db, sql, Within } from "#platform/database/index.ts";
import type { Range } from "#platform/contract/sorting.ts";
import { writeDay } from "#services/attendance/days.ts";
import type { Correction, Day } from "#services/attendance/model.ts";
import {
  isKeptOf,
  isOf,
  isOfScope,
  listMembers,
  type Member,
  type Whose,
  withRoster,
} from "#services/attendance/whose.ts";

export interface NewCorrection extends Correction {
  readonly month: string;
  readonly objection: number | null;
}

export interface CorrectionRow extends NewCorrection, Whose {
  readonly id: number;
  readonly name: string;
  readonly department: string;
  readonly madeAt: Date;
  readonly undoneAt: Date | null;
  readonly undoneBy: string | null;
  readonly reason: string | null;
}

const columns = sql`
  correction.id, correction.month, correction.user_id as "userId", correction.work_number as "workNumber",
  correction.group_name as "group", correction.name, day - date '1970-01-01' as day, kind, campus, hours::float as hours, evidence,
  objection_id as objection, made_at as "madeAt", made_by as "madeBy", undone_at as "undoneAt", undone_by as "undoneBy", reason`;

/** Fails with a violation of `correction_of_day` if the day already has a correction. */
export async function insertCorrection(tx: Db, member: Member, correction: NewCorrection): Promise<number> {
  const { userId, workNumber, keptGroup, name } = member;
  const { month, day, kind, campus, hours, evidence, objection, madeBy } = correction;
  return tx.value<number>`
    insert into attendance.correction (month, user_id, work_number, group_name, name, day, kind, campus, hours, evidence, objection_id, made_by)
    values (${month}, ${userId}, ${workNumber}, ${keptGroup}, ${name}, ${writeDay(day)}, ${kind}, ${campus}, ${hours},
      ${evidence}, ${objection}, ${madeBy})
    returning id`;
}

export const findCorrection = (db: Db, id: number, within: Within): Promise<CorrectionRow | undefined> =>
  db.first<CorrectionRow>`
    select ${columns}, coalesce(department, '') as department
    from attendance.correction ${withRoster("correction")}
    where correction.id = ${id} and ${isOfScope("correction", within)}`;

export const listCorrected = (db: Db, { id, month }: Pick<CorrectionRow, "id" | "month">): Promise<Member[]> =>
  listMembers(
    db,
    month,
    Within.everywhere,
    sql`exists (select from attendance.correction where id = ${id} and ${isOf("correction")})`,
  );

export const undoCorrection = async (tx: Db, id: number, reason: string, by: string): Promise<boolean> =>
  (await tx.count`
    update attendance.correction set undone_at = now(), undone_by = ${by}, reason = ${reason}
    where id = ${id} and undone_at is null`) === 1;

interface CorrectionFilter {
  readonly month?: string | undefined;
  readonly department?: string | undefined;
  readonly standing?: boolean | undefined;
}

export async function listCorrections(
  db: Db,
  { month, department, standing }: CorrectionFilter,
  within: Within,
  { offset, limit }: Range,
): Promise<PageWithTotal<CorrectionRow>> {
  const wanted = [
    ...(month === undefined ? [] : [sql`correction.month = ${month}`]),
    ...(department === undefined ? [] : [sql`department = ${department}`]),
    ...(standing === undefined ? [] : [standing ? sql`undone_at is null` : sql`undone_at is not null`]),
  ];
  const from = sql`
    from attendance.correction ${withRoster("correction")}
    where ${sql.join([isOfScope("correction", within), ...wanted], " and ")}`;
  const rows = await db<CorrectionRow[]>`
    select ${columns}, coalesce(department, '') as department ${from} order by correction.id desc limit ${limit} offset ${offset}`;
  return { rows, totalCount: await db.value<number>`select count(*) ${from}` };
}

export const listStanding = (
  db: Db,
  month: string,
  within: Within,
): Promise<(Correction & Whose & { name: string })[]> =>
  db<(Correction & Whose & { name: string })[]>`
    select ${columns} from attendance.correction where month = ${month} and undone_at is null
      and ${isOfScope("correction", within)} order by day, id`;

export const isCorrected = async (db: Db, month: string, whose: Whose, day: Day): Promise<boolean> =>
  (await db.count`
    select from attendance.correction
    where month = ${month} and day = ${writeDay(day)} and undone_at is null and ${isKeptOf("correction", whose)} limit 1`) >
  0;

export function findCorrections(standing: readonly (Correction & Whose)[]) {
  const byWhose = Map.groupBy(standing, ({ userId, workNumber }) => userId || `/${workNumber}`);
  return (who: Whose): readonly Correction[] =>
    (byWhose.get(who.userId || `/${who.workNumber}`) ?? []).filter(({ group }) => group === "" || group === who.group);
}
