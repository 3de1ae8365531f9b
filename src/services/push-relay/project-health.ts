import { formatDateTime } from "#platform/contract/times.ts";
import { type Db, inSnapshot, sql, type Within } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { endpoints } from "./contract.ts";
import { listBacklog } from "./delivery/index.ts";
import { listProjects } from "./project-store.ts";

export const latestDeliveries = 500;
const sliceCount = 24;
const spanHours = 24;

/** The totals of a slice, or of the whole span if `slice` is null. */
interface Moments {
  readonly projectId: number;
  readonly since: Date;
  readonly slice: number | null;
  readonly added: number;
  readonly left: number;
  readonly delivered: number;
  readonly failed: number;
  readonly medianMs: number | null;
}

const nothing = { added: 0, left: 0, delivered: 0, failed: 0, medianMs: null };

/**
 * Returns the slices, oldest first. Their backlogs are computed backwards from the present backlog. A replayed delivery
 * counts as pending since its creation.
 */
function toSlices(moments: readonly Moments[], pending: number) {
  const bySlice = new Map(moments.map((one) => [one.slice, one]));
  let waiting = pending;
  const latestFirst = Array.from({ length: sliceCount }, (_, index) => {
    const { added, left, delivered, failed, medianMs } = bySlice.get(sliceCount - 1 - index) ?? nothing;
    const slice = { delivered, failed, medianMs, pending: waiting };
    waiting = Math.max(0, waiting - added + left);
    return slice;
  });
  return latestFirst.toReversed();
}

export async function readHealth({ pool, settings, clock }: Platform, within: Within, id: number | null = null) {
  // The three reads need the same snapshot, since the computed backlogs would otherwise be wrong.
  const [projects, backlog, moments] = await inSnapshot(pool, (tx) =>
    Promise.all([listProjects(tx, within, id), listBacklog(tx, id), listMoments(tx, id)]),
  );
  const momentsOf = Map.groupBy(moments, ({ projectId }) => projectId);
  const pendingOf = new Map(backlog.map(({ projectId, pending }) => [projectId, pending]));
  return projects.map(({ id: projectId }) => {
    const own = momentsOf.get(projectId) ?? [];
    const all = own.find(({ slice }) => slice === null);
    const { delivered, failed, medianMs } = all ?? nothing;
    const since = formatDateTime(all?.since ?? new Date(clock() - spanHours * 3_600_000), settings.TIME_ZONE);
    return { projectId, since, delivered, failed, medianMs, slices: toSlices(own, pendingOf.get(projectId) ?? 0) };
  });
}

export const projectHealthHandlers = (platform: Platform): Handlers<Pick<typeof endpoints, "listProjectHealth">> => ({
  listProjectHealth: ({ within }) => readHealth(platform, within),
});

/**
 * Reads at most the latest `latestDeliveries` deliveries of each project. The span is the last 24 hours. If a project
 * has that many deliveries and all are newer, its span begins with the oldest of them. Slices in which nothing happened
 * are omitted.
 */
const listMoments = async (db: Db, id: number | null): Promise<Moments[]> =>
  db<Moments[]>`
    with latest as (
      select delivery.* from push_relay.project
      cross join lateral (
        select id, project_id, status, created_at, attempted_at, delivered_at, duration_ms from push_relay.delivery
        where project_id = project.id order by id desc limit ${latestDeliveries}) as delivery
      where project.deleted_at is null ${id === null ? sql`` : sql`and project.id = ${id}`}
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
      select project_id, 'delivered', attempted_at, duration_ms from latest where status = 'delivered'
      union all
      select project_id, 'left', delivered_at, null from latest where status = 'delivered'
      union all
      select project_id, 'left', dead_at, null from latest join push_relay.dead using (project_id)
      where dead.delivery_id = latest.id
      union all
      select project_id, case when error is null then 'delivered' else 'failed' end, at,
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
      (count(*) filter (where kind = 'delivered'))::int as delivered,
      (count(*) filter (where kind = 'failed'))::int as failed,
      round(percentile_cont(0.5) within group (order by duration_ms))::int as "medianMs"
    from placed group by grouping sets ((project_id, since, slice), (project_id, since))`;
