import type { Db } from "#platform/database/index.ts";

/** By what a person is looked for, each where it is given: whatever has one of them is the person's. */
export interface Person {
  /** An identity card, or the number of a student or of somebody the campus platform knows. */
  readonly card?: string | undefined;
  /** A phone number, however it is spaced. */
  readonly phone?: string | undefined;
  /** The user name of an account, or whatever else a service knows users by. */
  readonly user?: string | undefined;
}

/** One kind of record in which a service has something about persons. */
export interface PersonRecords {
  /** Such as "loan". */
  readonly kind: string;
  /** The person's records, with all that they say of them; never a secret. */
  readonly show: (db: Db, person: Person) => Promise<readonly object[]>;
  /**
   * Erases what they say of the person, and the record too where nobody needs it, and returns how many records that was.
   * Left out: the service keeps them, and `kept` says why.
   */
  readonly erase?: (tx: Db, person: Person) => Promise<number>;
  readonly kept?: string;
}

/** What stands in the place of a name that was erased. */
export const erasedName = "已删除";
