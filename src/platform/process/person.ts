import type { Db } from "#platform/database/index.ts";

/** A record matches if it has any of these. */
export interface Person {
  /** The card is an identity card, student number or campus number. */
  readonly card?: string | undefined;
  readonly phone?: string | undefined;
  readonly user?: string | undefined;
}

export interface PersonRecords {
  readonly kind: string;
  readonly show: (db: Db, person: Person) => Promise<readonly object[]>;
  /**
   * Erases the personal data, or the whole record if nobody needs it, and returns the number of records. If omitted,
   * `kept` says why.
   */
  readonly erase?: (tx: Db, person: Person) => Promise<number>;
  readonly kept?: string;
}

export const erasedName = "已删除";
