import { inTransaction, type Pool } from "#platform/database/index.ts";
import {
  backfill,
  type BackfillRange,
  findLastDelivery,
  listChosen,
  replay,
  type ReplaySelection,
} from "./replay-store.ts";

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
