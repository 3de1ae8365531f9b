import { type Db, inTransaction, type Pool } from "#platform/database/index.ts";

/** Which deliveries are to be made once more. */
export type ReplaySelection =
  | { readonly ids: readonly number[] }
  | { readonly projectId: number; readonly since: Date }
  | { readonly projectId: number; readonly status: "dead" };

/** The next so many of the selection after an id, in the order in which they were received. */
export async function listChosen(
  db: Db,
  selection: ReplaySelection,
  { after, upTo, most }: { readonly after: number; readonly upTo: number; readonly most: number },
): Promise<number[]> {
  const rows = await chooseRows(db, selection, after, upTo, most);
  return rows.map(({ id }) => id);
}

function chooseRows(db: Db, selection: ReplaySelection, after: number, upTo: number, most: number) {
  if ("ids" in selection)
    return db<{ id: number }[]>`
      select id from push_relay.delivery
      where id = any (${selection.ids}::bigint[]) and id > ${after} and id <= ${upTo} order by id limit ${most}`;
  if ("since" in selection)
    return db<{ id: number }[]>`
      select id from push_relay.delivery
      where project_id = ${selection.projectId} and id > ${after} and id <= ${upTo} and created_at >= ${selection.since}
      order by id limit ${most}`;
  return db<{ id: number }[]>`
    select delivery_id as id from push_relay.dead
    where project_id = ${selection.projectId} and delivery_id > ${after} and delivery_id <= ${upTo}
    order by delivery_id limit ${most}`;
}

/** The last delivery there is. */
export async function findLastDelivery(db: Db): Promise<number> {
  const [row] = await db<{ id: number | null }[]>`select max(id) as id from push_relay.delivery`;
  return row?.id ?? 0;
}

/** @returns how many will be made; those of deleted projects will not. */
export async function replay(db: Db, deliveryIds: readonly number[]): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select push_relay.replay(${deliveryIds}::bigint[]) as count`;
  return row?.count ?? 0;
}

export interface BackfillStep {
  readonly added: number;
  /** The last subject, or null when none was left. */
  readonly lastId: number | null;
}

export interface BackfillRange {
  readonly projectId: number;
  readonly kind: "person" | "organisation";
  readonly event: string;
  readonly after: number;
  readonly most: number;
  readonly timeZone: string;
}

/** Sends the project the present state of the next subjects of the directory. */
export async function backfill(db: Db, range: BackfillRange): Promise<BackfillStep> {
  const { projectId, kind, event, after, most, timeZone } = range;
  const [row] = await db<BackfillStep[]>`
    select added, last_id as "lastId" from push_relay.backfill(${projectId}, ${kind}, ${event}, ${after}, ${most}, ${timeZone})`;
  return row ?? { added: 0, lastId: null };
}

// Both hold the subjects that they touch, and receiving an event about one of them waits meanwhile: so they go in small
// transactions. One that is cut off has done a part, and may be asked for again.
const mostAtOnce = 500;

/** Makes deliveries once more, with the same id and body. @returns how many. */
export async function replayDeliveries(pool: Pool, selection: ReplaySelection): Promise<number> {
  // What is received meanwhile is no part of it.
  const upTo = await findLastDelivery(pool);
  let count = 0;
  for (let after = 0; ;) {
    const ids = await listChosen(pool, selection, { after, upTo, most: mostAtOnce });
    const last = ids.at(-1);
    if (last === undefined) return count;
    count += await inTransaction(pool, (tx) => replay(tx, ids));
    after = last;
  }
}

/** Sends a project the present directory: organisations, then people, each in the order in which they became known. */
export async function backfillProject(pool: Pool, projectId: number, timeZone: string): Promise<number> {
  const range = { projectId, most: mostAtOnce, timeZone };
  const organisations = await backfillKind(pool, { ...range, kind: "organisation", event: "addOrg" });
  return organisations + (await backfillKind(pool, { ...range, kind: "person", event: "addUser" }));
}

async function backfillKind(pool: Pool, range: Omit<BackfillRange, "after">): Promise<number> {
  let count = 0;
  for (let after = 0; ;) {
    const { added, lastId } = await inTransaction(pool, (tx) => backfill(tx, { ...range, after }));
    if (lastId === null) return count;
    count += added;
    after = lastId;
  }
}
