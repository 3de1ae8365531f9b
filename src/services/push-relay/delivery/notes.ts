import { randomUUID } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { Counter, Histogram, type Metric } from "prom-client";
import { toLoggable } from "#platform/contract/loggable.ts";
import { batch, type Db, type Pool } from "#platform/database/index.ts";
import type { Settlement } from "./queue-store.ts";

export type EventOutcome = "stored" | "repeat" | "refused";

const intervalMs = 1000;
const bucketsSeconds = [0.01, 0.05, 0.1, 0.25, 1, 2.5, 5, 15];

/** The metrics have no project labels, since the number of projects is unbounded. */
const makeMetrics = () => ({
  events: new Counter({
    name: "quintet_relay_events_total",
    help: "Events received from the campus platform by this process",
    labelNames: ["outcome"],
    registers: [],
  }),
  pushes: new Histogram({
    name: "quintet_relay_push_seconds",
    help: "Response time of receivers to pushes of this process, by outcome",
    labelNames: ["outcome"],
    buckets: bucketsSeconds,
    registers: [],
  }),
});

/**
 * Collects statistics of projects and writes them about once a second at most, since thousands of pushes may be in
 * flight.
 */
export function openNotes(pool: Pool, log: FastifyBaseLogger) {
  const processId = randomUUID();
  const { events, pushes } = makeMetrics();
  let notes = new Map<number, ProjectNote>();
  let delivered = 0;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    const [taken, count] = [notes, delivered];
    [notes, delivered] = [new Map(), 0];
    try {
      if (taken.size > 0) await noteProjects(pool, [...taken.values()]);
      if (count > 0)
        await pool`
          insert into push_relay.pulse (minute, process, delivered)
          values (extract(epoch from now())::bigint / 60, ${processId}, ${count})
          on conflict (minute, process) do update set delivered = pulse.delivered + excluded.delivered`;
    } catch (error) {
      log.warn({ ...toLoggable(error) }, "delivery statistics of some projects could not be stored");
    }
  };
  const writeNext = (): Promise<void> => (writing = writing.then(write));
  const writeSoon = batch<void, void>(() => writeNext().then(() => []), { most: Infinity, pauseMs: () => intervalMs });

  return {
    metrics: [events, pushes] as readonly Metric[],
    addEvent: (outcome: EventOutcome): void => events.inc({ outcome }),
    add: (settlements: readonly Settlement[]): void => {
      for (const settlement of settlements) {
        const { kind } = settlement.outcome;
        if (kind === "back") continue;
        pushes.observe({ outcome: kind }, settlement.durationMs / 1000);
        if (kind === "delivered") delivered++;
        const { projectId } = settlement.claimed;
        let note = notes.get(projectId);
        if (!note) notes.set(projectId, (note = { projectId, succeededMs: null, failingMs: null, error: null }));
        addToNote(note, settlement);
      }
      if (notes.size > 0) void writeSoon();
    },
    addPulled: (projectId: number, count: number): void => {
      delivered += count;
      const note = { projectId, succeededMs: Date.now(), failingMs: null, error: null };
      notes.set(projectId, note);
      void writeSoon();
    },
    finish: writeNext,
  };
}

function addToNote(note: ProjectNote, { outcome, startedMs, durationMs, error }: Settlement): void {
  if (outcome.kind === "delivered") {
    note.succeededMs = startedMs + durationMs;
    note.failingMs = null;
  } else {
    note.failingMs ??= startedMs;
    note.error = error;
  }
}

interface ProjectNote {
  readonly projectId: number;
  succeededMs: number | null;
  failingMs: number | null;
  error: string | null;
}

const toTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

async function noteProjects(db: Db, notes: readonly ProjectNote[]): Promise<void> {
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
