import type { Db } from "#platform/database/index.ts";

export interface DeadJobs {
  readonly task: string;
  readonly count: number;
}

/** Jobs that are not tried any more, by their task. */
export const listDeadJobs = async (db: Db): Promise<DeadJobs[]> =>
  db<DeadJobs[]>`
    select task_identifier as task, count(*) as count from graphile_worker.jobs
    where locked_at is null and attempts >= max_attempts group by task_identifier order by 1`;
