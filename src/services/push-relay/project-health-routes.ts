import { inSnapshot } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { endpoints } from "./contract.ts";
import { listBacklog } from "./delivery/index.ts";
import { listMoments } from "./project-health-store.ts";
import { judgeProject } from "./project-health.ts";
import { listProjects } from "./project-store.ts";
import { toProjectHealth } from "./wire-rows.ts";

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
