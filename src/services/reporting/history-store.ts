import type { Caller } from "#platform/contract/caller.ts";
import type { VerdictCode } from "./rules.ts";
import type { Db } from "#platform/database/index.ts";

export interface FieldChange {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

export type Deed =
  | { readonly what: "closed" | "deleted" }
  | { readonly what: "supplemented"; readonly changes: readonly FieldChange[] }
  | { readonly what: "judged"; readonly verdict: VerdictCode; readonly ps: string | undefined };

export interface ReportEvent {
  readonly at: Date;
  readonly what: Deed["what"] | "messageSent" | "messageRefused";
  /** Null if no administrator caused the event. */
  readonly userName: string | null;
  readonly name: string | null;
  readonly verdict: VerdictCode | null;
  readonly ps: string | null;
  readonly changes: FieldChange[] | null;
}

export async function noteDeed(tx: Db, reportIds: readonly number[], deed: Deed, by?: Caller): Promise<void> {
  const { verdict, ps } = deed.what === "judged" ? deed : { verdict: undefined, ps: undefined };
  const changes = deed.what === "supplemented" ? JSON.stringify(deed.changes) : null;
  await tx.send`
    insert into reporting.report_event (report_id, what, user_name, name, verdict, ps, changes)
    select report_id, ${deed.what}, ${by?.userName ?? ""}, ${by?.name ?? ""}, ${verdict ?? null}, ${ps ?? null}, ${changes}::json
    from unnest(${reportIds}::bigint[]) as report_id`;
}

export async function listEventsOf(db: Db, reportIds: readonly number[]): Promise<Map<number, ReportEvent[]>> {
  const rows = await db<(ReportEvent & { readonly reportId: number })[]>`
    select report_id as "reportId", at, what, nullif(user_name, '') as "userName", name, verdict, ps, changes
    from reporting.report_event where report_id = any(${reportIds}) order by at, id`;
  return Map.groupBy(rows, ({ reportId }) => reportId);
}

export const listEvents = async (db: Db, reportId: number): Promise<ReportEvent[]> =>
  db<ReportEvent[]>`
    select at, what, nullif(user_name, '') as "userName", name, verdict, ps, changes
    from reporting.report_event where report_id = ${reportId}
    union all
    select settled_at, case state when 'sent' then 'messageSent' else 'messageRefused' end, null, null, null, null, null
    from reporting.verdict_message where report_id = ${reportId} and state in ('sent', 'refused')
    order by at`;
