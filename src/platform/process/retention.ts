import type { Db } from "#platform/database/index.ts";

/** One kind of record of persons that a service keeps for as many days as a setting says, and for ever where it is not set. */
export interface RetainedRecords {
  /** Such as "loan". */
  readonly kind: string;
  /** The setting that has the days, such as LIBRARY_KEEP_LOAN_DAYS. */
  readonly setting: string;
  /** How many records there are that nobody has needed since then. */
  readonly count: (db: Db, since: Date) => Promise<number>;
  /**
   * Removes some of them, or what they say of persons, and returns how many; 0 when nothing is left that nobody else is at.
   * @param most for one transaction, unless what belongs together is more
   */
  readonly remove: (tx: Db, since: Date, most: number) => Promise<number>;
}
