import { type Db, type Fragment, sql, streamRows } from "#platform/database/index.ts";
import { releaseUploads } from "#platform/files/upload.ts";
import { listHolders } from "./objections/store.ts";
import type { Person, PersonRecords } from "#platform/process/person.ts";
import type { RemovalCursor, Removed, RetainedRecords } from "#platform/process/removal.ts";
import { openImported, openResultCard, openRow, type StoredRow } from "./stored-rows.ts";

interface Found {
  readonly id: string;
  readonly row: number;
  readonly isUser: boolean;
  readonly idCard: string;
}

/**
 * Finds rows by user or by card. Sealed cards have no blind index, so each card must be opened, which takes 4 µs. Only
 * the command line searches in this way.
 */
async function findRows<Row extends object>(
  db: Db,
  { user = "", card = "" }: Person,
  { table, id, open, extra }: { table: Fragment; id: Fragment; open: typeof openImported; extra: Fragment },
): Promise<Row[]> {
  if (!user && !card) return [];
  const [ids, rows]: [string[], number[]] = [[], []];
  const wanted = card.trim().toUpperCase();
  const isUser = sql`(${user} <> '' and (user_id = ${user} or work_number = ${user}))`;
  const mayBe = card ? sql`(upper(id_card) = ${wanted} or id_card like 'sealed:%')` : sql`false`;
  const query = sql`
    select ${id}::text as id, row, ${isUser} as "isUser", id_card as "idCard" from ${table}
    where ${isUser} or ${mayBe} order by ${id}, row`;
  for await (const batch of streamRows<Found>(db, query, 5000))
    for (const { id: of, row, isUser: isTheirs, idCard: stored } of batch) {
      if (!isTheirs && open(db.keys, stored).toUpperCase() !== wanted) continue;
      ids.push(of);
      rows.push(row);
    }
  return db<Row[]>`
    select ${extra}, name, user_id as "userId", work_number as "workNumber", id_card as "idCard" from ${table}
    where (${id}::text, row) in (select * from unnest(${ids}::text[], ${rows}::int[])) order by ${id}, row`;
}

const showRows =
  (table: Fragment, id: Fragment): PersonRecords["show"] =>
  async (db, person) => {
    const extra = sql`${id}, department, data::text as data, extra::text as extra`;
    const found = await findRows<StoredRow>(db, person, { table, id, open: openResultCard, extra });
    return found.map(({ data, idCard, extra = null, ...row }) => ({
      ...row,
      data: JSON.parse(openRow(db.keys, { data, idCard, extra })) as object,
    }));
  };

const showIdentities: PersonRecords["show"] = async (db, person) => {
  const [table, id, extra] = [sql`attendance.identity`, sql`import_id`, sql`import_id as import`];
  const found = await findRows<{ idCard: string }>(db, person, { table, id, open: openImported, extra });
  return found.map((row) => ({ ...row, idCard: openImported(db.keys, row.idCard) }));
};

export const persons: readonly PersonRecords[] = [
  {
    kind: "result",
    show: showRows(sql`attendance.result`, sql`month`),
    kept: "pay is calculated from complete months",
  },
  {
    kind: "locked row",
    show: showRows(sql`attendance.version_row`, sql`version_id`),
    kept: "locked rows are evidence of how pay was calculated",
  },
  {
    kind: "identity",
    show: showIdentities,
    kept: "the next import of identity cards replaces the stored ones",
  },
  {
    kind: "objection",
    show: (db, { user = "" }) => db`
      select month, day, objection.kind, text, punches, state, made_at as "madeAt", judged_at as "judgedAt", note
      from attendance.objection where ${user} <> '' and ${user} in (user_id, work_number) order by id`,
    kept: "the month's result depends on objections, which are deleted with the month",
  },
  {
    kind: "correction",
    show: (db, { user = "" }) => db`
      select month, day, correction.kind, campus, hours, evidence, made_at as "madeAt", made_by as "madeBy", undone_at as "undoneAt", reason
      from attendance.correction where ${user} <> '' and ${user} in (user_id, work_number) order by id`,
    kept: "pay is calculated with corrections, which are deleted with their month",
  },
];

// Locked data is evidence of what was paid, so a month that has ever been locked is not deleted, and versions are never
// deleted.

/** SQL that is true if the month ended before `since` (in UTC), is not locked and is not being analysed. */
const isOpenAndOld = (since: Date) => sql`
  (month.month || '-01')::date + interval '1 month' <= ${since}::timestamptz at time zone 'UTC'
  and version_id is null and statu <> 1`;

const hasCard = sql`id_card <> ''`;

/**
 * The cards of an import may be deleted once all months that use the import are old. Those of the newest import are
 * kept, since months without their own import use it.
 */
const oldIdentities = (since: Date) => sql`
  attendance.identity where id_card <> '' and exists (
      select from attendance.month where identity.import_id in (work_import, identity_import))
    and not exists (
      select from attendance.month where identity.import_id in (work_import, identity_import) and not (${isOpenAndOld(since)}))
    and import_id < (select max(work_import) from attendance.month)`;

const countRows = (db: Db, rows: Fragment): Promise<number> => db.value<number>`select count(*) as count from ${rows}`;

/**
 * Deletes all cards of a month in one transaction that locks the month's row, so that a version has either all cards or
 * none.
 */
async function removeFromMonth(tx: Db, since: Date, { after }: RemovalCursor): Promise<Removed> {
  const [old] = await tx<{ month: string }[]>`
    select month from attendance.month
    where month > ${after} and ${isOpenAndOld(since)}
      and exists (select from attendance.result where result.month = month.month and ${hasCard})
    order by month limit 1 for no key update skip locked`;
  if (!old) return { removed: 0, after: null };
  const removed = await tx.count`
    update attendance.result set id_card = '' where month = ${old.month} and ${hasCard}`;
  return { removed, after: old.month };
}

async function removeFromList(tx: Db, since: Date, { after }: RemovalCursor): Promise<Removed> {
  const [old] = await tx<{ id: number }[]>`
    select import_id as id from ${oldIdentities(since)} and import_id > ${Number(after)} order by import_id limit 1`;
  if (!old) return { removed: 0, after: null };
  const removed = await tx.count`
    update attendance.identity set id_card = '' where import_id = ${old.id} and id_card <> ''`;
  return { removed, after: String(old.id) };
}

const oldMonths = (since: Date) => sql`
  attendance.month where ${isOpenAndOld(since)} and not exists (
    select from attendance.version where version.month = month.month)`;

/**
 * Each call deletes one month with its thousands of rows. Punches and days are deleted later, with the imports that no
 * month uses any more.
 */
async function removeMonth(tx: Db, since: Date, { after }: RemovalCursor): Promise<Removed> {
  const [old] = await tx<{ month: string }[]>`
    select month from ${oldMonths(since)} and month > ${after} order by month limit 1 for update skip locked`;
  if (old) {
    const records = await listHolders(tx, old.month);
    await tx`delete from attendance.month where month = ${old.month}`;
    await releaseUploads(tx, { service: "attendance", records, removal: "atOnce" });
  }
  return old ? { removed: 1, after: old.month } : { removed: 0, after: null };
}

export const retained: readonly RetainedRecords[] = [
  {
    kind: "identity card",
    setting: "ATTENDANCE_KEEP_CARD_DAYS",
    count: (db, since) =>
      countRows(
        db,
        sql`attendance.month join attendance.result on result.month = month.month where ${isOpenAndOld(since)} and ${hasCard}`,
      ),
    remove: removeFromMonth,
  },
  {
    kind: "imported identity card",
    setting: "ATTENDANCE_KEEP_CARD_DAYS",
    count: (db, since) => countRows(db, oldIdentities(since)),
    remove: removeFromList,
  },
  {
    kind: "month",
    setting: "ATTENDANCE_KEEP_DAYS",
    count: (db, since) => countRows(db, oldMonths(since)),
    remove: removeMonth,
  },
];
