import type { Db } from "#platform/database/index.ts";

/** What happened to a project's pushes since the last note. */
export interface ProjectNote {
  readonly projectId: number;
  succeededMs: number | null;
  /** Of the first failure after the last success. */
  failingMs: number | null;
  error: string | null;
}

const toTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

export async function noteProjects(db: Db, notes: readonly ProjectNote[]): Promise<void> {
  await db`
    update push_relay.project set
      last_success_at = coalesce(succeeded_at, last_success_at),
      last_error = coalesce(note.error, last_error),
      failing_since = case when succeeded_at is null then coalesce(failing_since, failing_at) else failing_at end
    from unnest(${notes.map(({ projectId }) => projectId)}::bigint[],
      ${notes.map(({ succeededMs }) => toTime(succeededMs))}::timestamptz[],
      ${notes.map(({ failingMs }) => toTime(failingMs))}::timestamptz[],
      ${notes.map(({ error }) => error)}::text[]) as note (project_id, succeeded_at, failing_at, error)
    where project.id = note.project_id`;
}

export async function noteDelivered(db: Db, processId: string, count: number): Promise<void> {
  await db`
    insert into push_relay.pulse (minute, process, delivered)
    values (extract(epoch from now())::bigint / 60, ${processId}, ${count})
    on conflict (minute, process) do update set delivered = pulse.delivered + excluded.delivered`;
}
