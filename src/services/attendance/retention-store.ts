import { type Db, sql } from "#platform/database/index.ts";
import type { RetainedRecords } from "#platform/process/retention.ts";

// What was locked proves what was paid by, and stays: a month as long as it is locked, its versions for good.

/** The month has ended, in UTC, and stands open, and no analysis of it runs. */
const isOpenAndOld = (since: Date) => sql`
  (month.month || '-01')::date + interval '1 month' <= ${since}::timestamptz at time zone 'UTC'
  and version_id is null and statu <> 1`;

const hasCard = sql`data::text like '%"idCard":"%' and data::text not like '%"idCard":""%'`;

const oldResults = (since: Date) => sql`
  attendance.month join attendance.result on result.month = month.month where ${isOpenAndOld(since)} and ${hasCard}`;

/**
 * Cards of lists that only such months have joined. The newest list stays whatever its age: months without one of their
 * own join it.
 */
const oldIdentities = (since: Date) => sql`
  attendance.identity where id_card <> '' and exists (
      select from attendance.month where identity.import_id in (work_import, identity_import))
    and not exists (
      select from attendance.month where identity.import_id in (work_import, identity_import) and not (${isOpenAndOld(since)}))
    and import_id < (select max(work_import) from attendance.month)`;

async function countCards(db: Db, since: Date): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select (select count(*) from ${oldResults(since)}) + (select count(*) from ${oldIdentities(since)}) as count`;
  return row?.count ?? 0;
}

/**
 * A whole month at once, which is held meanwhile so that it is locked with all cards or with none; then what is left of
 * lists. By 500 rows the rows that are done would be read anew each time: of 60 months of 8,000, a terabyte in all.
 */
async function removeCards(tx: Db, since: Date, most: number): Promise<number> {
  const [old] = await tx<{ month: string }[]>`
    select month from attendance.month
    where ${isOpenAndOld(since)} and exists (select from attendance.result where result.month = month.month and ${hasCard})
    order by month limit 1 for no key update skip locked`;
  if (old)
    return tx.count`
      update attendance.result
      set data = regexp_replace(data::text, '"idCard":"([^"\\\\]|\\\\.)*"', '"idCard":""')::json
      where month = ${old.month} and ${hasCard}`;
  return tx.count`
    update attendance.identity as kept set id_card = ''
    from (select import_id, row from ${oldIdentities(since)} limit ${most} for update skip locked) as old
    where kept.import_id = old.import_id and kept.row = old.row`;
}

// Each takes its rows along, some thousands of them; punches and days go with the imports that no month names any more.
const monthsAtOnce = 1;

const oldMonths = (since: Date) => sql`
  attendance.month where ${isOpenAndOld(since)} and not exists (
    select from attendance.version where version.month = month.month)`;

/** What attendance need not keep: identity cards of old months first, then months that were never locked. */
export const retained: readonly RetainedRecords[] = [
  { kind: "identity card", setting: "ATTENDANCE_KEEP_CARD_DAYS", count: countCards, remove: removeCards },
  {
    kind: "month",
    setting: "ATTENDANCE_KEEP_DAYS",
    count: async (db, since) => {
      const [row] = await db<{ count: number }[]>`select count(*) as count from ${oldMonths(since)}`;
      return row?.count ?? 0;
    },
    remove: (tx, since) => tx.count`
      delete from attendance.month where month in (
        select month from ${oldMonths(since)} order by month limit ${monthsAtOnce} for update skip locked)`,
  },
];
