import type { Db } from "#platform/database/index.ts";

/** Where the removal of a kind of record is: what goes on from there passes over what is done. */
export interface Place {
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
  readonly remove: (tx: Db, since: Date, place: Place) => Promise<Removed>;
}
