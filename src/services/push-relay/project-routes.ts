import { explain, found, Problem } from "#platform/contract/problem.ts";
import { writeTimes } from "#platform/contract/times.ts";
import { type Db, Within } from "#platform/database/index.ts";
import { type Call, type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { endpoints } from "./contract.ts";
import { createSecret } from "#platform/outbound/signature.ts";
import { checkTarget } from "#platform/outbound/addresses.ts";
import { backfillProject, endLeases, isFlagged, listBacklog, type Relay } from "./delivery/index.ts";
import {
  deleteProject,
  findSecrets,
  hasProject,
  insertProject,
  listProjects,
  lockProject,
  pauseProject,
  type ProjectSecrets,
  rotateSecret,
  updateProject,
} from "./project-store.ts";
import { changeSelection } from "./selection.ts";
import { wholeSelection } from "./selection-contract.ts";
import { previewEvent, readSelection } from "./selection-preview.ts";
import { findSelection } from "./selection-store.ts";
import type { RelayPlatform, RelaySettings } from "./settings.ts";

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
  | "previewProject"
>;

type Sender = Pick<Relay, "projectChanged" | "sendTest" | "wake">;

export function projectHandlers(platform: RelayPlatform, relay: Sender): Handlers<Endpoints> {
  const { settings } = platform;
  return {
    listProjects: ({ db, within }) => presentProjects(db, within, platform),

    addProject: async ({ db, body, audit }) => {
      refuseBadTarget(body.url, settings);
      const { url, project, pull = false, contact = "", ...given } = body;
      const selection = changeSelection(null, given);
      const name = project || nameAfter(url);
      const id = await insertProject(db, { url, name, pull, contact, selection }, createSecret());
      audit.records = [id];
      return String(id);
    },

    updateProject: withoutTransaction(async (call) => {
      const { body } = call;
      if (body.url !== undefined) refuseBadTarget(body.url, settings);
      return changeProject(call, body.id, relay, async (tx, id) => {
        const present = await lockProject(tx, id);
        if (!present) return false;
        const { id: _id, url = present.url, statu = present.statu, pull = present.pull, ...rest } = body;
        const { project, contact: asked, ...given } = rest;
        const name = project === undefined ? present.name : project || nameAfter(url);
        const selection = changeSelection(present.selection, given);
        const contact = asked === present.contact ? undefined : asked;
        await updateProject(tx, id, { url, statu, name, pull, contact, selection });
        if (present.pull && !pull) await endLeases(tx, id);
        return true;
      });
    }),
    deleteProject: withoutTransaction((call) => changeProject(call, call.query.id, relay, deleteProject)),
    pauseProject: withoutTransaction((call) => setPaused(call, relay, true)),
    resumeProject: withoutTransaction((call) => setPaused(call, relay, false)),

    readSecret: async ({ db, query: { id }, audit, within }) => {
      const { secret } = await getSecrets(db, id, within);
      audit.records = [id];
      return { secret };
    },
    rotateSecret: withoutTransaction(async (call) => {
      const secret = createSecret();
      await changeProject(call, call.query.id, relay, (tx, id) => rotateSecret(tx, id, secret));
      return { secret };
    }),

    testProject: withoutTransaction(async ({ db, query: { id }, audit, transact, within }) => {
      const target = await getSecrets(db, id, within);
      audit.records = [id];
      await transact(async () => "1");
      return relay.sendTest(target);
    }),
    previewProject: async ({ db, params: { id }, query: { event, selection }, audit }) => {
      const present = found(await findSelection(db, id));
      audit.records = [id];
      return previewEvent(db, event, selection === undefined ? (present ?? wholeSelection) : readSelection(selection));
    },
    backfillProject: withoutTransaction(async ({ db, query: { id }, audit, transact, within }) => {
      if (!(await hasProject(db, id, within))) throw new Problem("notFound");
      audit.records = [id];
      await transact(async () => "1");
      const count = await backfillProject(platform.pool, id, settings.TIME_ZONE);
      relay.wake();
      return String(count);
    }),
  };
}

type ChangingCall = Pick<Call<Endpoints["pauseProject"]>, "audit" | "transact"> & {
  /** Undefined in operations that are closed to operators with a scope. */
  readonly within: Within | undefined;
};

async function changeProject(
  { audit, transact, within = Within.everywhere }: ChangingCall,
  id: number,
  relay: Sender,
  change: (tx: Db, id: number) => Promise<boolean>,
): Promise<"1"> {
  audit.records = [id];
  const done = await transact(async (tx) => {
    const isOutside = !within.isEverywhere && !(await hasProject(tx, id, within));
    if (isOutside || !(await change(tx, id))) throw new Problem("notFound");
    return "1" as const;
  });
  relay.projectChanged(id);
  return done;
}

const setPaused = (call: ChangingCall & { query: { id: number } }, relay: Sender, isPaused: boolean) =>
  changeProject(call, call.query.id, relay, (tx, id) => pauseProject(tx, id, isPaused));

export async function presentProjects(
  db: Db,
  within: Within,
  { settings, clock }: RelayPlatform,
  id: number | null = null,
) {
  const [projects, backlog] = await Promise.all([listProjects(db, within, id), listBacklog(db, id)]);
  const figures = new Map(backlog.map((one) => [one.projectId, one]));
  return projects.map(({ failingSince, lastError, selection, pull, contact, ...project }) => {
    const { pending = 0, dead = 0 } = figures.get(project.id) ?? {};
    return {
      ...writeTimes(project, settings.TIME_ZONE),
      pending,
      dead,
      // After a success, the row keeps the last error, but the error is no longer shown.
      lastError: failingSince && lastError,
      flagged: isFlagged(failingSince, settings, clock()),
      // The contract fixes the response for a project without these options, so they are omitted if unused.
      ...(pull && { pull }),
      ...(contact !== "" && { contact }),
      ...selection,
    };
  });
}

async function getSecrets(db: Db, id: number, within: Within): Promise<ProjectSecrets> {
  return found(await findSecrets(db, id, within));
}

/** @throws {Problem} badFormat for an invalid URL, notAllowedNow for an IP address in a network that is not allowed */
function refuseBadTarget(url: string, settings: RelaySettings): void {
  const verdict = checkTarget(url, settings.PUSH_ALLOWED_NETWORKS);
  if (verdict === "ok") return;
  throw verdict === "refusedAddress"
    ? explain("notAllowedNow", "url: 不允许推送到该网络地址", "url: pushes to this network are not allowed")
    : explain(
        "badFormat",
        "url: 应为不含用户名和密码的 http 或 https 地址",
        "url: must be an http or https address without a user name or password",
      );
}

const nameAfter = (url: string): string => new URL(url).host;
