import { Histogram } from "prom-client";
import type { Pool } from "#platform/database/index.ts";
import type { JobEnd } from "#platform/jobs/runner.ts";

const bucketsSeconds = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1800];

export function openJobMetrics() {
  const metric = new Histogram({
    name: "quintet_job_seconds",
    help: "Duration of background job attempts in this process",
    labelNames: ["task", "outcome"],
    buckets: bucketsSeconds,
    registers: [],
  });
  return {
    metric,
    note: ({ task, outcome, seconds }: JobEnd): void => metric.observe({ task, outcome }, seconds),
  };
}

export const countJobsByTask = (pool: Pool) => pool<{ task: string; waiting: number; failed: number }[]>`
  select task_identifier as task, count(*) filter (where attempts < max_attempts) as waiting,
    count(*) filter (where attempts >= max_attempts) as failed
  from graphile_worker.jobs group by task_identifier order by task_identifier`;
