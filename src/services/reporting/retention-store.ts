import { sql } from "#platform/database/index.ts";
import { releaseUploads } from "#platform/files/upload.ts";
import { type RetainedRecords, retainRows } from "#platform/process/removal.ts";
import { service, toHolder } from "./rules.ts";

/** What reporting need not keep: reports that nobody works on any more, with their files, messages and history. */
export const retained: readonly RetainedRecords[] = [
  retainRows({
    kind: "report",
    setting: "REPORTING_KEEP_DAYS",
    table: sql`reporting.report`,
    isOld: (since) => sql`(closed or deleted) and updated_at < ${since}`,
    remove: async (tx, ids) => {
      await tx.send`delete from reporting.report where id = any(${ids})`;
      await releaseUploads(tx, { service, records: ids.map(toHolder), removal: "atOnce" });
    },
  }),
];
