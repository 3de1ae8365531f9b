import type { Db } from "#platform/database/index.ts";

/** A person whose data is exported or erased. A record belongs to the person if any of these identifiers matches. */
export interface Person {
  /** An identity card number, student number or campus number. */
  readonly card?: string | undefined;
  readonly phone?: string | undefined;
  readonly user?: string | undefined;
}

export interface PersonRecords {
  readonly kind: string;
  readonly show: (db: Db, person: Person) => Promise<readonly object[]>;
  /**
   * Erases the personal data, or the whole record if nobody else needs it, and returns the number of records. If there
   * is no `erase`, `kept` gives the reason.
   */
  readonly erase?: (tx: Db, person: Person) => Promise<number>;
  readonly kept?: string;
}

export const erasedName = "已删除";
