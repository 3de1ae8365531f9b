import type { Db } from "#platform/database/index.ts";
import { latestDeliveries, type Moments, sliceCount, spanHours } from "./project-health.ts";

/**
 * What has happened to the latest deliveries of every project, in each slice of its span and (slice null) in all of it.
 * Nothing is listed of a project or a slice in which nothing happened. However much a project is sent, no more of its
 * deliveries are read than `latestDeliveries`: the span then begins with the oldest of them.
 */
export async function listMoments(db: Db): Promise<Moments[]> {
  return db<Moments[]>`
    with latest as (
      select delivery.* from push_relay.project
      cross join lateral (
        select id, project_id, status, created_at, attempted_at, delivered_at, duration_ms from push_relay.delivery
        where project_id = project.id order by id desc limit ${latestDeliveries}) as delivery
      where project.deleted_at is null
    ),
    span as (
      select project_id, greatest(
        now() - ${spanHours} * interval '1 hour',
        case when count(*) = ${latestDeliveries} then min(created_at) end) as since
      from latest group by project_id
    ),
    moment as (
      select project_id, 'added' as kind, created_at as at, null as duration_ms from latest
      union all
      select project_id, 'succeeded', attempted_at, duration_ms from latest where status = 'delivered'
      union all
      select project_id, 'left', delivered_at, null from latest where status = 'delivered'
      union all
      select project_id, 'left', dead_at, null from latest join push_relay.dead using (project_id)
      where dead.delivery_id = latest.id
      union all
      select project_id, case when error is null then 'succeeded' else 'failed' end, at,
        case when status_code is not null then attempt.duration_ms end
      from latest join push_relay.attempt on attempt.delivery_id = latest.id
    ),
    placed as (
      select moment.*, since, least(${sliceCount}, width_bucket(
        extract(epoch from at), extract(epoch from since), extract(epoch from now()), ${sliceCount})) - 1 as slice
      from moment join span using (project_id) where at >= since and since < now()
    )
    select project_id as "projectId", since, slice,
      (count(*) filter (where kind = 'added'))::int as added,
      (count(*) filter (where kind = 'left'))::int as left,
      (count(*) filter (where kind = 'succeeded'))::int as succeeded,
      (count(*) filter (where kind = 'failed'))::int as failed,
      round(percentile_cont(0.5) within group (order by duration_ms))::int as "medianMs"
    from placed group by grouping sets ((project_id, since, slice), (project_id, since))`;
}
