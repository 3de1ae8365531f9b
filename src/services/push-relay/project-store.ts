import type * as z from "zod";
import type { Timed } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import type { pushProject } from "./project-contract.ts";
import { openSecrets, sealSecret } from "./sealed.ts";

/** A push project: where events go. */
type Project = Timed<Omit<z.output<typeof pushProject>, "pending" | "dead" | "flagged">> & {
  readonly failingSince: Date | null;
};

interface ProjectAddress {
  readonly url: string;
  readonly name: string;
  readonly statu: 0 | 1;
}

export interface ProjectSecrets {
  readonly url: string;
  readonly secret: string;
  /** The one before, which signs too until then. */
  readonly oldSecret: string | null;
  readonly oldSecretUntil: Date | null;
}

/** All that are not deleted, newest first. */
export async function listProjects(db: Db): Promise<Project[]> {
  return db<Project[]>`
    select id, url, name as project, statu, paused, created_at as "createTime", last_success_at as "lastSuccessTime",
      last_error as "lastError", failing_since as "failingSince"
    from push_relay.project where deleted_at is null order by id desc`;
}

/** Stores a valid project and returns its id. */
export async function insertProject(tx: Db, url: string, name: string, secret: string): Promise<number> {
  const [row] = await tx<[{ id: number }]>`
    insert into push_relay.project (url, name, secret) values (${url}, ${name}, ${sealSecret(tx.keys, secret)}) returning id`;
  return row.id;
}

/** The project, which nobody else can change until the transaction ends. */
export async function lockProject(tx: Db, id: number): Promise<ProjectAddress | undefined> {
  const [row] = await tx<ProjectAddress[]>`
    select url, name, statu from push_relay.project where id = ${id} and deleted_at is null for no key update`;
  return row;
}

export async function updateProject(tx: Db, id: number, { url, name, statu }: ProjectAddress): Promise<void> {
  await tx`update push_relay.project set url = ${url}, name = ${name}, statu = ${statu} where id = ${id}`;
}

/** False when there is none, or none any more. */
export async function deleteProject(tx: Db, id: number): Promise<boolean> {
  const rows = await tx`
    update push_relay.project set deleted_at = now() where id = ${id} and deleted_at is null returning 1`;
  return rows.length > 0;
}

/** False when there is no such project. */
export async function pauseProject(tx: Db, id: number, paused: boolean): Promise<boolean> {
  const rows = await tx`
    update push_relay.project set paused = ${paused} where id = ${id} and deleted_at is null returning 1`;
  return rows.length > 0;
}

export async function hasProject(db: Db, id: number): Promise<boolean> {
  return (await db`select 1 from push_relay.project where id = ${id} and deleted_at is null`).length > 0;
}

export async function findSecrets(db: Db, id: number): Promise<ProjectSecrets | undefined> {
  const [row] = await db<ProjectSecrets[]>`
    select url, secret, old_secret as "oldSecret", old_secret_until as "oldSecretUntil"
    from push_relay.project where id = ${id} and deleted_at is null`;
  return row && openSecrets(db.keys, row);
}

/** Makes the secret the project's; the one before signs too for another day. False when there is no such project. */
export async function rotateSecret(tx: Db, id: number, secret: string): Promise<boolean> {
  const rows = await tx`
    update push_relay.project set old_secret = secret, old_secret_until = now() + interval '24 hours',
      secret = ${sealSecret(tx.keys, secret)}
    where id = ${id} and deleted_at is null returning 1`;
  return rows.length > 0;
}
