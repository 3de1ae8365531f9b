import { explain, Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { endpoints } from "./contract.ts";
import { backfillProject, checkTarget, createSecret, isFlagged, listBacklog, type Relay } from "./delivery/index.ts";
import {
  deleteProject,
  findSecrets,
  hasProject,
  insertProject,
  listProjects,
  lockProject,
  pauseProject,
  rotateSecret,
  updateProject,
} from "./project-store.ts";
import { toProject } from "./wire-rows.ts";

type Endpoints = Pick<
  typeof endpoints,
  | "listProjects"
  | "addProject"
  | "updateProject"
  | "deleteProject"
  | "pauseProject"
  | "resumeProject"
  | "testProject"
  | "readSecret"
  | "rotateSecret"
  | "backfillProject"
>;

type Sender = Pick<Relay, "projectChanged" | "sendTest" | "wake">;

/** The handlers of the push projects. */
export function projectHandlers({ pool, settings, clock }: Platform, relay: Sender): Handlers<Endpoints> {
  const zone = settings.TIME_ZONE;

  /** Changes a project in a transaction; once that is on disk, the sender is told. */
  const change = async (
    { query: { id }, audit, transact }: Pick<Call<Endpoints["pauseProject"]>, "query" | "audit" | "transact">,
    work: (tx: Db, id: number) => Promise<boolean>,
  ): Promise<"1"> => {
    audit.records = [id];
    const done = await transact(async (tx) => {
      if (!(await work(tx, id))) throw new Problem("notFound");
      return "1" as const;
    });
    relay.projectChanged(id);
    return done;
  };

  return {
    listProjects: async ({ db }) => {
      const [projects, backlog] = await Promise.all([listProjects(db), listBacklog(db)]);
      const figures = new Map(backlog.map((one) => [one.projectId, one]));
      return projects.map((project) => {
        const { pending = 0, dead = 0 } = figures.get(project.id) ?? {};
        const flagged = isFlagged(project.failingSince, settings, clock());
        return toProject(project, { pending, dead, flagged }, zone);
      });
    },

    addProject: async ({ db, body, audit }) => {
      refuseBadTarget(body.url);
      const id = await insertProject(db, body.url, body.project || nameAfter(body.url), createSecret());
      audit.records = [id];
      return String(id);
    },

    updateProject: {
      withoutTransaction: async ({ body, audit, transact }) => {
        const { id, url, project, statu } = body;
        if (url !== undefined) refuseBadTarget(url);
        audit.records = [id];
        const done = await transact(async (tx) => {
          const present = await lockProject(tx, id);
          if (!present) throw new Problem("notFound");
          const changed = { url: url ?? present.url, statu: statu ?? present.statu };
          const name = project === undefined ? present.name : project || nameAfter(changed.url);
          await updateProject(tx, id, { ...changed, name });
          return "1" as const;
        });
        relay.projectChanged(id);
        return done;
      },
    },

    deleteProject: { withoutTransaction: (call) => change(call, deleteProject) },
    pauseProject: { withoutTransaction: (call) => change(call, (tx, id) => pauseProject(tx, id, true)) },
    resumeProject: { withoutTransaction: (call) => change(call, (tx, id) => pauseProject(tx, id, false)) },

    testProject: {
      withoutTransaction: async ({ db, query: { id }, audit, transact }) => {
        const target = await findSecrets(db, id);
        if (!target) throw new Problem("notFound");
        audit.records = [id];
        await transact(async () => "1");
        return relay.sendTest(target);
      },
    },

    readSecret: async ({ db, query: { id }, audit }) => {
      const found = await findSecrets(db, id);
      if (!found) throw new Problem("notFound");
      audit.records = [id];
      return { secret: found.secret };
    },

    rotateSecret: {
      withoutTransaction: async (call) => {
        const secret = createSecret();
        await change(call, (tx, id) => rotateSecret(tx, id, secret));
        return { secret };
      },
    },

    backfillProject: {
      withoutTransaction: async ({ db, query: { id }, audit, transact }) => {
        if (!(await hasProject(db, id))) throw new Problem("notFound");
        audit.records = [id];
        await transact(async () => "1");
        const count = await backfillProject(pool, id, zone);
        relay.wake();
        return String(count);
      },
    },
  };

  /** @throws {Problem} badFormat, or notAllowedNow for an address in a network that is not allowed. */
  function refuseBadTarget(url: string): void {
    const verdict = checkTarget(url, settings);
    if (verdict === "ok") return;
    throw verdict === "refusedAddress"
      ? explain(
          "notAllowedNow",
          "url: 不允许推送到该网络地址",
          "url: the address lies in a network that is not allowed",
        )
      : explain(
          "badFormat",
          "url: 应为不含用户名和密码的 http 或 https 地址",
          "url: must be an http or https address without user name and password",
        );
  }
}

/** What a project without a name is called: its host, with its port. */
const nameAfter = (url: string): string => new URL(url).host;
