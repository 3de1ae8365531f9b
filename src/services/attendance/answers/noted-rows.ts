import type { Readable } from "node:stream";
import type { Db, Pool } from "#platform/database/index.ts";
import type { Call } from "#platform/process/handler.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { auditReading, type Reading } from "./audit-reading.ts";
import { streamSnapshot } from "./snapshot.ts";
import type { VersionRow } from "./version-store.ts";

type ReadingCall = Pick<Call<(typeof endpoints)["download"]>, "db" | "caller" | "address">;
export type Read = Pick<Reading, "action" | "page"> & {
  readonly months: readonly string[];
  readonly version: VersionRow | undefined;
};

/** Opens whole rows, identity cards with them, which leaves a line in the audit log. */
export async function openNoted(
  pool: Pool,
  call: ReadingCall,
  read: Read,
  openRows: (snapshot: Db) => Promise<Readable>,
): Promise<Readable> {
  // Before the snapshot is opened: whoever held a connection and asked for another could wait for ever.
  await noteReading(call, read);
  return streamSnapshot(pool, openRows);
}

async function noteReading({ db, caller, address }: ReadingCall, { months, version, ...read }: Read): Promise<void> {
  if (!caller) return;
  const records = version ? [...months, `version ${version.number}`] : months;
  await auditReading(db, { ...read, records, caller, address });
}
