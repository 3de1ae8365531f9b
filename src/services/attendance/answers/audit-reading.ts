import { type AuditEntry, byCaller, isAudited, writeAudit } from "#platform/accounts/audit.ts";
import type { Caller } from "#platform/contract/caller.ts";
import type { Db } from "#platform/database/index.ts";

/** How rows of a month leave: all that are asked for, as a file or as rows, or a page of them at a time. */
export interface Reading {
  /** What it is called where no page is asked for. */
  readonly action: "download" | "readVersion" | "compare";
  /** The months, and the version if it is of one. */
  readonly records: readonly string[];
  readonly caller: Caller;
  readonly address: string;
  /** From 1; left out, all rows. */
  readonly page?: number | undefined;
}

/** So long after its first page, the others still belong to it: a person turns pages slowly. */
const sameReadingMinutes = 60;

/**
 * Writes the audit line of a month that leaves. Whole, it is an export. Page by page it is read, which is one line
 * however many pages there are: with the first, or with whichever comes without one before it, so that nobody gets
 * round the line by beginning in the middle.
 */
export async function auditReading(db: Db, { action, records, caller, address, page }: Reading): Promise<void> {
  const entry: AuditEntry = {
    service: "attendance",
    ...byCaller(caller),
    action: page === undefined ? action : "readMonth",
    outcome: "done",
    records,
    address,
  };
  if (page !== undefined && page > 1 && (await isAudited(db, entry, sameReadingMinutes))) return;
  await writeAudit(db, entry);
}
