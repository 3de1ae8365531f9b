import { hash } from "node:crypto";
import type * as z from "zod";
import { compileNetworks } from "#platform/contract/networks.ts";
import { Problem } from "#platform/contract/problem.ts";
import { batch, type Db, sql } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { campusApplication } from "./campus-contract.ts";
import type { endpoints } from "./contract.ts";
import { openAppSecret, sealAppSecret } from "./sealed.ts";

type Application = z.output<typeof campusApplication>;

const columns = sql.raw(`id, app_key as "appKey", school_code as "schoolCode", name,
  allowed_networks as "allowedNetworks", secret_required as "secretRequired"`);

const listApplications = async (db: Db): Promise<Application[]> =>
  db<Application[]>`select ${columns} from push_relay.campus_app order by id desc`;

async function listKnown(db: Db) {
  // The id of the transaction that wrote the row (xmin) serves as the row's version, since no writer can forget to
  // change it.
  const rows = await db<(Application & { appSecret: string; version: string })[]>`
    select ${columns}, app_secret as "appSecret", xmin::text as version from push_relay.campus_app`;
  return rows.map((row) => {
    const appSecret = openAppSecret(db.keys, row.appSecret);
    const { allowedNetworks } = row;
    const allows: (address: string) => boolean =
      allowedNetworks.length === 0 ? () => true : compileNetworks(allowedNetworks);
    return { ...row, appSecret, secretDigest: digestSecret(appSecret), allows };
  });
}

export type KnownApplication = Awaited<ReturnType<typeof listKnown>>[number];

export const digestSecret = (secret: string): Buffer => hash("sha256", secret, "buffer");

const keyOf = (appKey: string, schoolCode: string): string => JSON.stringify([appKey, schoolCode]);

/**
 * Caches the applications. The statement that stores a push compares the application's version, so an accepted push
 * needs one round trip. Before refusing a push, callers must refresh the cache.
 */
export function openApplicationBook(db: Db) {
  let known = new Map<string, KnownApplication>();
  const load = async (askers: readonly void[]) => {
    known = new Map((await listKnown(db)).map((one) => [keyOf(one.appKey, one.schoolCode), one]));
    return askers;
  };
  return {
    find: (appKey: string, schoolCode: string) => known.get(keyOf(appKey, schoolCode)),
    /** Concurrent calls share one query, so a flood of refused pushes uses only one connection. */
    refresh: batch<void, void>(load, { most: Infinity }),
  };
}

export type ApplicationBook = ReturnType<typeof openApplicationBook>;

export async function warnOfForgery(db: Db): Promise<string[]> {
  const applications = await listApplications(db);
  return applications
    .filter(({ allowedNetworks, secretRequired }) => allowedNetworks.length === 0 && !secretRequired)
    .map(({ id, name }) => {
      const which = `campus application ${id} (${JSON.stringify(name)})`;
      return `${which}: anybody who has seen a push can forge pushes; set allowed networks, or require the secret`;
    });
}

type Endpoints = Pick<
  typeof endpoints,
  "addApplication" | "listApplications" | "updateApplication" | "deleteApplication"
>;

export const applicationHandlers: Handlers<Endpoints> = {
  addApplication: async ({ db, body, audit }) => {
    const { appKey, appSecret, schoolCode, name, allowedNetworks = [], secretRequired = false } = body;
    const [{ id }] = await db<[{ id: number }]>`
      insert into push_relay.campus_app (app_key, app_secret, school_code, name, allowed_networks, secret_required)
      values (${appKey}, ${sealAppSecret(db.keys, appSecret)}, ${schoolCode}, ${name}, ${allowedNetworks}, ${secretRequired})
      returning id`;
    audit.records = [id];
    return String(id);
  },

  listApplications: ({ db }) => listApplications(db),

  updateApplication: async ({ db, body, audit }) => {
    const { id, appKey, appSecret, schoolCode, name, allowedNetworks, secretRequired } = body;
    const sealed = appSecret === undefined ? null : sealAppSecret(db.keys, appSecret);
    const count = await db.count`
      update push_relay.campus_app set
        app_key = coalesce(${appKey ?? null}, app_key),
        app_secret = coalesce(${sealed}, app_secret),
        school_code = coalesce(${schoolCode ?? null}, school_code),
        name = coalesce(${name ?? null}, name),
        allowed_networks = coalesce(${allowedNetworks ?? null}, allowed_networks),
        secret_required = coalesce(${secretRequired ?? null}, secret_required)
      where id = ${id}`;
    if (count === 0) throw new Problem("notFound");
    audit.records = [id];
    return "1";
  },

  deleteApplication: async ({ db, query: { id }, audit }) => {
    if ((await db.count`delete from push_relay.campus_app where id = ${id}`) === 0) throw new Problem("notFound");
    audit.records = [id];
    return "1";
  },
};
