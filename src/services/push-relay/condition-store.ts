import type { Db } from "#platform/database/index.ts";

export interface TroubledProject {
  readonly id: number;
  readonly name: string;
  readonly since: Date;
  readonly pending: number;
}

/** Projects that have had nothing but failures for so many days. */
export const listFlaggedProjects = async (db: Db, flagDays: number): Promise<TroubledProject[]> =>
  db<TroubledProject[]>`
    select id, name, failing_since as since,
      (select count(*) from push_relay.queue where project_id = project.id) as pending
    from push_relay.project
    where deleted_at is null and statu = 0 and not paused and failing_since < now() - ${flagDays} * interval '1 day' order by id`;

/** Projects that are valid and not paused, and whose oldest delivery has waited for so many minutes. */
export const listLateProjects = async (db: Db, minutes: number): Promise<TroubledProject[]> =>
  db<TroubledProject[]>`
    select id, name, since, pending
    from push_relay.project join (
      select project_id, min(queued_at) as since, count(*) as pending from push_relay.queue group by project_id
    ) as waiting on waiting.project_id = project.id
    where deleted_at is null and statu = 0 and not paused
      and since < now() - ${minutes}::integer * interval '1 minute' order by id`;
