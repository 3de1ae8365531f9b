import { inSnapshot } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { endpoints } from "./contract.ts";
import { listBacklog } from "./delivery/index.ts";
import { listMoments } from "./project-health-store.ts";
import { listProjects } from "./project-store.ts";
import { toProjectHealth } from "./wire-rows.ts";

/** How a project has been doing lately, judged by its latest deliveries. */
export interface ProjectHealth {
  readonly projectId: number;
  readonly since: Date;
  /** Attempts. */
  readonly succeeded: number;
  readonly failed: number;
  /** How long an answer took; null when there was none. */
  readonly medianMs: number | null;
  /** Equally long, the oldest first. */
  readonly slices: readonly Slice[];
}

export interface Slice {
  readonly succeeded: number;
  readonly failed: number;
  readonly medianMs: number | null;
  /** What waited at the end of the slice. */
  readonly pending: number;
}

/** What happened in a slice, or with slice null in the whole span. */
export interface Moments {
  readonly projectId: number;
  readonly since: Date;
  readonly slice: number | null;
  /** Deliveries made, and deliveries delivered or given up. */
  readonly added: number;
  readonly left: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly medianMs: number | null;
}

export const latestDeliveries = 500;
export const sliceCount = 24;
export const spanHours = 24;

export interface Doing {
  readonly projectId: number;
  /** What waits now. */
  readonly pending: number;
  /** Those of this project, in any order. */
  readonly moments: readonly Moments[];
  readonly nowMs: number;
}

/**
 * The health of a project. What waited is reckoned backwards from what waits now; what was replayed counts as having
 * waited since it was made.
 */
export function judgeProject({ projectId, pending, moments, nowMs }: Doing): ProjectHealth {
  const bySlice = new Map(moments.map((one) => [one.slice, one]));
  const slices: Slice[] = [];
  let waiting = pending;
  for (let index = sliceCount - 1; index >= 0; index--) {
    const { added = 0, left = 0, succeeded = 0, failed = 0, medianMs = null } = bySlice.get(index) ?? {};
    slices.unshift({ succeeded, failed, medianMs, pending: waiting });
    waiting = Math.max(0, waiting - added + left);
  }
  const all: Partial<Moments> = bySlice.get(null) ?? {};
  const { since = new Date(nowMs - spanHours * 3_600_000), succeeded = 0, failed = 0, medianMs = null } = all;
  return { projectId, since, succeeded, failed, medianMs, slices };
}

/** The handler that tells how the projects are doing. */
export const projectHealthHandlers = ({
  pool,
  settings,
  clock,
}: Platform): Handlers<Pick<typeof endpoints, "listProjectHealth">> => ({
  listProjectHealth: async () => {
    // What waits now and what has happened must be of one moment, or what waited before is reckoned wrong.
    const [projects, backlog, moments] = await inSnapshot(pool, (tx) =>
      Promise.all([listProjects(tx), listBacklog(tx), listMoments(tx)]),
    );
    const momentsOf = Map.groupBy(moments, ({ projectId }) => projectId);
    const pendingOf = new Map(backlog.map(({ projectId, pending }) => [projectId, pending]));
    return projects.map(({ id: projectId }) => {
      const [pending, own] = [pendingOf.get(projectId) ?? 0, momentsOf.get(projectId) ?? []];
      return toProjectHealth(judgeProject({ projectId, pending, moments: own, nowMs: clock() }), settings.TIME_ZONE);
    });
  },
});
