import { type Db, type Fragment, type Pool, sql } from "#platform/database/index.ts";

// With these types, services declare which records expire; src/removal.ts deletes those records.

export interface ExpiredRows {
  readonly table: string;
  readonly isExpired: Fragment;
}

export const expiringRows = (table: string): ExpiredRows => ({ table, isExpired: sql`expires_at < now()` });

const deleteBatchSize = 5000;

export async function deleteExpired(pool: Pool, { table, isExpired }: ExpiredRows): Promise<void> {
  const name = sql.identifier(table);
  for (let removed = deleteBatchSize; removed === deleteBatchSize;)
    removed = await pool.count`
      delete from ${name} where ctid = any(array(select ctid from ${name} where ${isExpired} limit ${deleteBatchSize}))`;
}

export interface RemovalCursor {
  /** The position at which the previous step ended; "" at first. */
  readonly after: string;
  readonly most: number;
}

export interface Removed {
  readonly removed: number;
  readonly after: string | null;
}

/**
 * Records that are deleted or anonymised after the number of days in a setting. If the setting has no value, they are
 * kept without limit.
 */
export interface RetainedRecords {
  readonly kind: string;
  readonly setting: string;
  readonly count: (db: Db, since: Date) => Promise<number>;
  /** Deletes or anonymises the next batch of records in a short transaction, skipping locked records. */
  readonly remove: (tx: Db, since: Date, place: RemovalCursor) => Promise<Removed>;
}

interface RetainedRows extends Pick<RetainedRecords, "kind" | "setting"> {
  readonly table: Fragment;
  readonly isOld: (since: Date) => Fragment;
  readonly remove: (tx: Db, ids: readonly number[]) => Promise<unknown>;
}

// Scanning a batch of this many rows takes about 20 ms.
const scanBatchSize = 10_000;

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
