import { hash } from "node:crypto";
import { compileNetworks } from "#platform/contract/networks.ts";
import { Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import {
  deleteApplication,
  insertApplication,
  listApplications,
  listSecretApplications,
  type SecretApplication,
  updateApplication,
} from "./application-store.ts";
import type { endpoints } from "./contract.ts";
import { toApplication } from "./wire-rows.ts";

/** An application with what it takes to judge its pushes. */
export interface KnownApplication extends SecretApplication {
  readonly secretDigest: Buffer;
  /** Whether it may push from that address. */
  readonly allows: (address: string) => boolean;
}

/**
 * The campus applications as this process knows them. What it knows may be old: whoever refuses by it looks again after
 * a refresh, and whoever accepts by it compares the version in the statement that stores. So a push costs one round trip.
 */
export interface ApplicationBook {
  find(appKey: string, schoolCode: string): KnownApplication | undefined;
  /** Reads all of them anew. */
  refresh(): Promise<void>;
}

export const digestSecret = (secret: string): Buffer => hash("sha256", secret, "buffer");

const keyOf = (appKey: string, schoolCode: string): string => JSON.stringify([appKey, schoolCode]);

function toKnown(application: SecretApplication): KnownApplication {
  const { appSecret, allowedNetworks } = application;
  const allows = allowedNetworks.length === 0 ? () => true : compileNetworks(allowedNetworks);
  return { ...application, secretDigest: digestSecret(appSecret), allows };
}

export function openApplicationBook(db: Db): ApplicationBook {
  let known = new Map<string, KnownApplication>();
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const load = async () => {
    const applications = await listSecretApplications(db);
    known = new Map(applications.map((one) => [keyOf(one.appKey, one.schoolCode), toKnown(one)]));
  };
  // A reading that has begun may have missed what its caller looks for; all who come meanwhile share the one after it.
  // So a flood of refusals takes one connection, not all of them.
  const refresh = (): Promise<void> => {
    if (!running) return (running = load().finally(() => (running = undefined)));
    return (next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return refresh();
      }));
  };
  return { find: (appKey, schoolCode) => known.get(keyOf(appKey, schoolCode)), refresh };
}

/** A line for each application in whose name anybody can push who has seen one of its pushes. */
export async function warnOfForgery(db: Db): Promise<string[]> {
  const applications = await listApplications(db);
  return applications
    .filter(({ allowedNetworks, secretRequired }) => allowedNetworks.length === 0 && !secretRequired)
    .map(({ id, name }) => {
      const which = `campus application ${id} (${JSON.stringify(name)})`;
      return `${which} takes pushes that anybody forges who has seen one: set its allowed networks, or have it require the secret`;
    });
}

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
