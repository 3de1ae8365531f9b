import { sql } from "#platform/database/index.ts";
import { releaseUploads } from "#platform/files/holds.ts";
import type { RetainedRecords } from "#platform/process/retention.ts";
import { service, toHolder } from "./rules.ts";

const isOld = (since: Date) => sql`(closed or deleted) and updated_at < ${since}`;

/** What reporting need not keep: reports that nobody works on any more, with their files, messages and history. */
export const retained: readonly RetainedRecords[] = [
  {
    kind: "report",
    setting: "REPORTING_KEEP_DAYS",
    count: async (db, since) => {
      const [row] = await db<{ count: number }[]>`
        select count(*) as count from reporting.report where ${isOld(since)}`;
      return row?.count ?? 0;
    },
    remove: async (tx, since, most) => {
      const rows = await tx<{ id: number }[]>`
        with old as (
          select id from reporting.report where ${isOld(since)} order by id limit ${most} for update skip locked
        )
        delete from reporting.report using old where report.id = old.id returning report.id`;
      await releaseUploads(tx, { service, records: rows.map(({ id }) => toHolder(id)), removal: "atOnce" });
      return rows.length;
    },
  },
];
