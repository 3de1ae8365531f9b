import type { Db } from "#platform/database/index.ts";

/** When something has happened to a report, counted back from now. */
export interface Backdated {
  readonly id: number;
  readonly hoursAgo: number;
}

/** A verdict comes so long after the report, and a closing so long after a verdict. */
const hoursBetween = 20;

/** Puts reports back in time, and what has happened to them as far after them, though never into the future. */
export async function backdate(db: Db, reports: readonly Backdated[]): Promise<void> {
  const ids = reports.map(({ id }) => id);
  await db`
    update reporting.report set created_at = now() - given.hours * interval '1 hour'
    from unnest(${ids}::bigint[], ${reports.map(({ hoursAgo }) => hoursAgo)}::float8[]) as given (id, hours)
    where report.id = given.id`;
  await db`
    with placed as (
      select event.id, least(now(), report.created_at + ${hoursBetween} * interval '1 hour'
        * row_number() over (partition by report.id order by event.at, event.id)) as at
      from reporting.report_event as event join reporting.report on report.id = event.report_id
      where report.id = any (${ids}::bigint[])
    )
    update reporting.report_event as event set at = placed.at from placed where event.id = placed.id`;
  await db`
    update reporting.report set updated_at = coalesce(
      (select max(at) from reporting.report_event where report_id = report.id), created_at)
    where id = any (${ids}::bigint[])`;
}
