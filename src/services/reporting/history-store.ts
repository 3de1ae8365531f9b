import type { Caller } from "#platform/contract/caller.ts";
import type { Db } from "#platform/database/index.ts";

/** What an administrator did to a report. */
export type Deed =
  | { readonly what: "closed" | "deleted" }
  | { readonly what: "judged"; readonly verdict: 1 | 2; readonly ps: string | undefined };

export interface ReportEvent {
  readonly at: Date;
  readonly what: Deed["what"] | "messageSent" | "messageRefused";
  /** Null of what nobody did by hand. */
  readonly userName: string | null;
  readonly name: string | null;
  readonly verdict: 1 | 2 | null;
  readonly ps: string | null;
}

/** Notes in the transaction of the change what was done to the reports, and by whom. */
export async function noteDeed(tx: Db, reportIds: readonly number[], deed: Deed, by: Caller): Promise<void> {
  const { verdict, ps } = deed.what === "judged" ? deed : { verdict: undefined, ps: undefined };
  await tx.send`
    insert into reporting.report_event (report_id, what, user_name, name, verdict, ps)
    select report_id, ${deed.what}, ${by.userName}, ${by.name}, ${verdict ?? null}, ${ps ?? null}
    from unnest(${reportIds}::bigint[]) as report_id`;
}

/** Of each of these reports what was done to it, oldest first; of messages it says nothing. */
export async function listEventsOf(db: Db, reportIds: readonly number[]): Promise<Map<number, ReportEvent[]>> {
  const rows = await db<(ReportEvent & { readonly reportId: number })[]>`
    select report_id as "reportId", at, what, user_name as "userName", name, verdict, ps
    from reporting.report_event where report_id = any(${reportIds}) order by at, id`;
  return Map.groupBy(rows, ({ reportId }) => reportId);
}

/** What has happened to the report since it was submitted, oldest first. */
export const listEvents = async (db: Db, reportId: number): Promise<ReportEvent[]> =>
  db<ReportEvent[]>`
    select at, what, user_name as "userName", name, verdict, ps
    from reporting.report_event where report_id = ${reportId}
    union all
    select settled_at, case state when 'sent' then 'messageSent' else 'messageRefused' end, null, null, null, null
    from reporting.verdict_message where report_id = ${reportId} and state in ('sent', 'refused')
    order by at`;
