import { type Db, sql } from "#platform/database/index.ts";

// For all projects the condition is omitted. With an optional condition in one statement, PostgreSQL would scan all
// rows even for a single project.
const ofProject = (id: number | null) => (id === null ? sql`` : sql`where project_id = ${id}`);

export const listBacklog = async (db: Db, projectId: number | null = null) =>
  db<{ projectId: number; pending: number; dead: number }[]>`
    select project_id as "projectId", sum(pending)::int as pending, sum(dead)::int as dead
    from (
      select project_id, count(*) as pending, 0 as dead from push_relay.queue ${ofProject(projectId)} group by project_id
      union all
      select project_id, 0, count(*) from push_relay.dead ${ofProject(projectId)} group by project_id
    ) as counts
    group by project_id`;

interface RelayFigures {
  readonly pending: number;
  readonly dead: number;
  /**
   * The longest time that a pending delivery has waited. `overdueSeconds` is the longest time by which a delivery is
   * overdue. Both cover only enabled projects that are not paused; `overdueSeconds` and `lateProjects` also leave out
   * projects that pull.
   */
  readonly oldestPendingSeconds: number;
  readonly overdueSeconds: number;
  readonly lateProjects: number;
  readonly deliveredPerMinute: number;
  readonly flaggedProjects: number;
}

export async function readFigures(db: Db, flagDays: number): Promise<RelayFigures> {
  const [row] = await db<[RelayFigures]>`
    select coalesce(sum(waiting.pending), 0)::int as pending,
      (select count(*) from push_relay.dead join push_relay.project on project.id = dead.project_id
        where project.deleted_at is null)::int as dead,
      coalesce(extract(epoch from now() - min(waiting.queued_at) filter (where active)), 0)::int as "oldestPendingSeconds",
      greatest(0, coalesce(extract(epoch from now() - min(waiting.due_at) filter (where active and not pull)), 0))::int as "overdueSeconds",
      count(*) filter (where active and not pull and waiting.due_at < now() - interval '5 minutes')::int as "lateProjects",
      (select coalesce(sum(delivered), 0) from push_relay.pulse
        where minute = extract(epoch from now())::bigint / 60 - 1)::int as "deliveredPerMinute",
      count(*) filter (where active and failing_since < now() - ${flagDays} * interval '1 day')::int as "flaggedProjects"
    from push_relay.project
    cross join lateral (select statu = 0 and not paused) as state (active)
    left join (
      select project_id, count(*) as pending, min(queued_at) as queued_at, min(due_at) filter (where head) as due_at
      from push_relay.queue group by project_id
    ) as waiting on waiting.project_id = project.id
    where project.deleted_at is null`;
  return row;
}
