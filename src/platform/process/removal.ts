import { type Db, type Fragment, type Pool, sql } from "#platform/database/index.ts";

// What need not be kept any longer, as services say it; `removal.ts` above the platform removes it.

/** Rows that are over by themselves, such as sessions: nobody is told that they go. */
export interface ExpiredRows {
  /** With its schema. */
  readonly table: string;
  /** What holds for a row that is over. */
  readonly isExpired: Fragment;
}

export const expiringRows = (table: string): ExpiredRows => ({ table, isExpired: sql`expires_at < now()` });

const deleteBatchSize = 5000;

/** Removes the rows that are over, some thousands at a time. */
export async function deleteExpired(pool: Pool, { table, isExpired }: ExpiredRows): Promise<void> {
  const name = sql.identifier(table);
  for (let removed = deleteBatchSize; removed === deleteBatchSize;)
    removed = await pool.count`
      delete from ${name} where ctid = any(array(select ctid from ${name} where ${isExpired} limit ${deleteBatchSize}))`;
}

/** Where the removal of a kind of record is: what goes on from there passes over what is done. */
export interface RemovalCursor {
  /** Where the step before ended; empty at first. */
  readonly after: string;
  /** What a step may remove, unless what belongs together is more. */
  readonly most: number;
}

export interface Removed {
  readonly removed: number;
  /** Where the next step goes on; null: there is nothing further. */
  readonly after: string | null;
}

/** One kind of record of persons that a service keeps for as many days as a setting says, and for ever where it is not set. */
export interface RetainedRecords {
  /** Such as "loan". */
  readonly kind: string;
  /** The setting that has the days, such as LIBRARY_KEEP_LOAN_DAYS. */
  readonly setting: string;
  /** How many records there are that nobody has needed since then. */
  readonly count: (db: Db, since: Date) => Promise<number>;
  /**
   * Removes some of the next of them, or what they say of persons, in a step that holds nothing for long. What somebody
   * else is at stays for the next run.
   */
  readonly remove: (tx: Db, since: Date, place: RemovalCursor) => Promise<Removed>;
}

interface RetainedRows extends Pick<RetainedRecords, "kind" | "setting"> {
  readonly table: Fragment;
  /** What holds for a row of the table that nobody has needed since then. */
  readonly isOld: (since: Date) => Fragment;
  /** Removes these, which are locked. */
  readonly remove: (tx: Db, ids: readonly number[]) => Promise<unknown>;
}

// So many that stay are passed over in a step, however few go: their reading takes some 20 ms.
const scanBatchSize = 10_000;

/** Goes over the table once, by its ids. */
export const retainRows = ({ kind, setting, table, isOld, remove }: RetainedRows): RetainedRecords => ({
  kind,
  setting,
  count: (db, since) => db.value<number>`select count(*) from ${table} where ${isOld(since)}`,
  remove: async (tx, since, { after, most }): Promise<Removed> => {
    const last = await tx.value<number | null>`
      select max(id) from (
        select id from ${table} where id > ${Number(after)} order by id limit ${scanBatchSize}) as next`;
    if (last === null) return { removed: 0, after: null };
    const ids = await tx.values<number>`
      select id from ${table} where id > ${Number(after)} and id <= ${last} and ${isOld(since)}
      order by id limit ${most} for update skip locked`;
    if (ids.length > 0) await remove(tx, ids);
    return { removed: ids.length, after: String(ids.length < most ? last : ids.at(-1)) };
  },
});
