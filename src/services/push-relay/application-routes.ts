import { Problem } from "#platform/contract/problem.ts";
import type { Handlers } from "#platform/process/handler.ts";
import { deleteApplication, insertApplication, listApplications, updateApplication } from "./application-store.ts";
import type { endpoints } from "./contract.ts";
import { toApplication } from "./wire-rows.ts";

type Endpoints = Pick<
  typeof endpoints,
  "addApplication" | "listApplications" | "updateApplication" | "deleteApplication"
>;

/** The handlers of the campus applications. */
export const applicationHandlers: Handlers<Endpoints> = {
  addApplication: async ({ db, body, audit }) => {
    const id = await insertApplication(db, {
      ...body,
      allowedNetworks: body.allowedNetworks ?? [],
      secretRequired: body.secretRequired ?? false,
    });
    audit.records = [id];
    return String(id);
  },

  listApplications: async ({ db }) => (await listApplications(db)).map(toApplication),

  updateApplication: async ({ db, body: { id, ...change }, audit }) => {
    if (!(await updateApplication(db, id, change))) throw new Problem("notFound");
    audit.records = [id];
    return "1";
  },

  deleteApplication: async ({ db, query, audit }) => {
    if (!(await deleteApplication(db, query.id))) throw new Problem("notFound");
    audit.records = [query.id];
    return "1";
  },
};
