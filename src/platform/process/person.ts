import type { Db } from "#platform/database/index.ts";

/** Criteria for finding a person; a record matches if it has any of them. */
export interface Person {
  /** An identity card, student number or campus number. */
  readonly card?: string | undefined;
  /** A phone number with any spacing. */
  readonly phone?: string | undefined;
  /** A user name, or another user id known to a service. */
  readonly user?: string | undefined;
}

/** A kind of record with personal data. */
export interface PersonRecords {
  /** Such as "loan". */
  readonly kind: string;
  /** The person's records with all their data except secrets. */
  readonly show: (db: Db, person: Person) => Promise<readonly object[]>;
  /**
   * Erases the personal data, or the whole record if nobody needs it, and returns the number of records. If omitted,
   * `kept` says why.
   */
  readonly erase?: (tx: Db, person: Person) => Promise<number>;
  readonly kept?: string;
}

/** Replaces erased names. */
export const erasedName = "已删除";
