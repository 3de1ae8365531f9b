import { type Db, type Fragment, type Pool, sql } from "#platform/database/index.ts";

// Services declare here which records expire; `removal.ts` above the platform deletes them.

/** Rows that expire by themselves, such as sessions, without an audit entry. */
export interface ExpiredRows {
  /** Schema-qualified. */
  readonly table: string;
  /** The condition for an expired row. */
  readonly isExpired: Fragment;
}

export const expiringRows = (table: string): ExpiredRows => ({ table, isExpired: sql`expires_at < now()` });

const deleteBatchSize = 5000;

/** Deletes expired rows in batches. */
export async function deleteExpired(pool: Pool, { table, isExpired }: ExpiredRows): Promise<void> {
  const name = sql.identifier(table);
  for (let removed = deleteBatchSize; removed === deleteBatchSize;)
    removed = await pool.count`
      delete from ${name} where ctid = any(array(select ctid from ${name} where ${isExpired} limit ${deleteBatchSize}))`;
}

/** A cursor over a kind of record. */
export interface RemovalCursor {
  /** The end of the previous step; empty at first. */
  readonly after: string;
  /** The batch size, which a group of related records may exceed. */
  readonly most: number;
}

export interface Removed {
  readonly removed: number;
  /** The next cursor; null at the end. */
  readonly after: string | null;
}

/** Personal records with a retention setting in days, unlimited by default. */
export interface RetainedRecords {
  /** Such as "loan". */
  readonly kind: string;
  /** The setting, such as LIBRARY_KEEP_LOAN_DAYS. */
  readonly setting: string;
  /** Counts the records unused since then. */
  readonly count: (db: Db, since: Date) => Promise<number>;
  /** Deletes or anonymises the next batch in a short step, skipping locked records. */
  readonly remove: (tx: Db, since: Date, place: RemovalCursor) => Promise<Removed>;
}

interface RetainedRows extends Pick<RetainedRecords, "kind" | "setting"> {
  readonly table: Fragment;
  /** The condition for a row unused since then. */
  readonly isOld: (since: Date) => Fragment;
  /** Deletes these locked rows. */
  readonly remove: (tx: Db, ids: readonly number[]) => Promise<unknown>;
}

// Rows scanned per step, about 20 ms.
const scanBatchSize = 10_000;

/** Scans the table once by id. */
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
