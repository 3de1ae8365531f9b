import type * as z from "zod";
import type { Timed } from "#platform/contract/times.ts";
import { type Db, sql, type Within } from "#platform/database/index.ts";
import type { pushProject } from "./project-contract.ts";
import { places } from "./scope-contract.ts";
import { openContact, openSecrets, sealContact, sealSecret } from "./sealed.ts";
import type { Selection } from "./selection-contract.ts";

type Project = Timed<
  Omit<z.output<typeof pushProject>, "pending" | "dead" | "flagged" | "pull" | "contact" | keyof Selection>
> & {
  readonly contact: string;
  readonly pull: boolean;
  readonly failingSince: Date | null;
  readonly selection: Selection | null;
};

interface ProjectAddress {
  readonly pull: boolean;
  readonly url: string;
  readonly name: string;
  readonly statu: 0 | 1;
  readonly contact: string;
  /** Null if the project receives every event unchanged. */
  readonly selection: Selection | null;
}

export interface ProjectSecrets {
  readonly url: string;
  readonly secret: string;
  /** The previous secret. Until `oldSecretUntil`, pushes have a second signature made with it. */
  readonly oldSecret: string | null;
  readonly oldSecretUntil: Date | null;
}

export async function listProjects(db: Db, within: Within, id: number | null = null): Promise<Project[]> {
  const rows = await db<Stored<Project>[]>`
    select id, url, name as project, statu, paused, created_at as "createTime", last_success_at as "lastSuccessTime",
      last_error as "lastError", failing_since as "failingSince", selection, pull, contact_sealed
    from push_relay.project where deleted_at is null ${within.and(places)} ${id === null ? sql`` : sql`and id = ${id}`}
    order by id desc`;
  return rows.map((row) => openRow(db, row));
}

type Stored<T> = Omit<T, "contact"> & { readonly contact_sealed: string | null };

function openRow<T>(db: Db, { contact_sealed: stored, ...row }: Stored<T>) {
  return { ...row, contact: openContact(db.keys, stored) };
}

const toStored = (tx: Db, contact: string): string | null => (contact === "" ? null : sealContact(tx.keys, contact));

export const insertProject = (
  tx: Db,
  { url, name, pull, contact, selection }: Omit<ProjectAddress, "statu">,
  secret: string,
): Promise<number> =>
  tx.value<number>`
    insert into push_relay.project (url, name, secret, pull, contact_sealed, selection)
    values (${url}, ${name}, ${sealSecret(tx.keys, secret)}, ${pull}, ${toStored(tx, contact)}, ${toJson(selection)}::jsonb) returning id`;

export async function lockProject(tx: Db, id: number): Promise<ProjectAddress | undefined> {
  const row = await tx.first<Stored<ProjectAddress>>`
    select url, name, statu, pull, contact_sealed, selection
    from push_relay.project where id = ${id} and deleted_at is null for no key update`;
  return row && openRow(tx, row);
}

/**
 * @param contact undefined if it is unchanged, since sealing it again would give another text and so look like a change
 */
export async function updateProject(
  tx: Db,
  id: number,
  { contact, ...next }: Omit<ProjectAddress, "contact"> & { readonly contact?: string | undefined },
): Promise<void> {
  const { url, name, statu, pull, selection } = next;
  const stored = toJson(selection);
  // Senders cache the rate limit, and writers of events cache the selection, so a change of either raises the revision.
  await tx`
    update push_relay.project set url = ${url}, name = ${name}, statu = ${statu}, pull = ${pull}, selection = ${stored}::jsonb,
      contact_sealed = ${contact === undefined ? sql`contact_sealed` : sql`${toStored(tx, contact)}`},
      revision = revision + (selection is distinct from ${stored}::jsonb)::int
    where id = ${id}`;
}

const toJson = (selection: Selection | null): string | null => selection && JSON.stringify(selection);

export const deleteProject = async (tx: Db, id: number): Promise<boolean> =>
  (await tx.count`
    update push_relay.project set deleted_at = now() where id = ${id} and deleted_at is null`) > 0;

export const pauseProject = async (tx: Db, id: number, paused: boolean): Promise<boolean> =>
  (await tx.count`
    update push_relay.project set paused = ${paused} where id = ${id} and deleted_at is null`) > 0;

export const hasProject = async (db: Db, id: number, within: Within): Promise<boolean> =>
  (await db.count`select from push_relay.project where id = ${id} and deleted_at is null ${within.and(places)}`) > 0;

export const isPulled = async (db: Db, id: number): Promise<boolean> =>
  (await db.count`
    select from push_relay.project where id = ${id} and pull and statu = 0 and deleted_at is null`) > 0;

export async function findSecrets(db: Db, id: number, within: Within): Promise<ProjectSecrets | undefined> {
  const [row] = await db<ProjectSecrets[]>`
    select url, secret, old_secret as "oldSecret", old_secret_until as "oldSecretUntil"
    from push_relay.project where id = ${id} and deleted_at is null ${within.and(places)}`;
  return row && openSecrets(db.keys, row);
}

/**
 * Replaces the secret. During the next 24 hours, pushes are also signed with the previous secret. Returns false if the
 * project is unknown.
 */
export const rotateSecret = async (tx: Db, id: number, secret: string): Promise<boolean> =>
  (await tx.count`
    update push_relay.project set old_secret = secret, old_secret_until = now() + interval '24 hours',
      secret = ${sealSecret(tx.keys, secret)}
    where id = ${id} and deleted_at is null`) > 0;
