import type { Readable } from "node:stream";
import { type AuditEntry, byCaller, isAudited, writeAudit } from "#platform/accounts/audit.ts";
import { type Db, openSnapshot, type Pool } from "#platform/database/index.ts";
import type { Call } from "#platform/process/handler.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import type { VersionRow } from "./version-store.ts";

type ReadingCall = Pick<Call<(typeof endpoints)["download"]>, "db" | "caller" | "address">;

/** How rows of a month leave: all that are asked for, as a file or as rows, or a page of them at a time. */
interface Read {
  /** What it is called where no page is asked for. */
  readonly action: "download" | "readVersion" | "compare";
  readonly months: readonly string[];
  readonly version: VersionRow | undefined;
  /** From 1; left out, all rows. */
  readonly page?: number | undefined;
}

/**
 * Opens whole rows, identity cards with them, out of one state of the database: what is checked before the first byte
 * holds for the last, an import that comes in between or not. The connection is kept until the stream has closed;
 * `openRows` must ask the pool for no other.
 */
export async function openNoted(
  pool: Pool,
  call: ReadingCall,
  read: Read,
  openRows: (snapshot: Db) => Promise<Readable>,
): Promise<Readable> {
  // Before the snapshot is opened: whoever held a connection and asked for another could wait for ever.
  await noteReading(call, read);
  const { db, close } = await openSnapshot(pool);
  try {
    const stream = await openRows(db);
    return stream.once("close", () => void close());
  } catch (error) {
    await close();
    throw error;
  }
}

/** So long after its first page, the others still belong to it: a person turns pages slowly. */
const sameReadingMinutes = 60;

/**
 * Writes the audit line of a month that leaves. Whole, it is an export. Page by page it is read, which is one line
 * however many pages there are: with the first, or with whichever comes without one before it, so that nobody gets
 * round the line by beginning in the middle.
 */
async function noteReading(
  { db, caller, address }: ReadingCall,
  { months, version, action, page }: Read,
): Promise<void> {
  if (!caller) return;
  const entry: AuditEntry = {
    service: "attendance",
    ...byCaller(caller),
    action: page === undefined ? action : "readMonth",
    outcome: "done",
    records: version ? [...months, `version ${version.number}`] : months,
    address,
  };
  if (page !== undefined && page > 1 && (await isAudited(db, entry, sameReadingMinutes))) return;
  await writeAudit(db, entry);
}
