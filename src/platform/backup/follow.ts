import type { Clock } from "#platform/contract/clock.ts";
import { type Connection, openConnection } from "#platform/database/index.ts";
import { storeLog, toSegment } from "./log.ts";
import { clusterOf, type Source } from "./make.ts";
import { folderOf, listWhole, type Manifest, readManifest, type Stored, writeChecked } from "./manifest.ts";
import type { BackupPlace } from "./place.ts";
import { dropSlots, readSlot, slotOf } from "./slots.ts";
import { listStoredFiles, storeUploads } from "./uploads.ts";

/** Stores what is written after a backup, so that a moment between two can be restored. */
export interface Follower {
  /** Stores what PostgreSQL has written since the last time, and files that came since. False: no backup can be followed. */
  readonly follow: () => Promise<boolean>;
  /** Makes the next backup, `meanwhile` called now and then: the log goes on beside the one before until it is whole. */
  readonly across: (make: (meanwhile: () => Promise<void>) => Promise<Manifest>) => Promise<Manifest>;
  /** When all that had been written was stored the last time, in ms; undefined: not since the start. */
  readonly storedAt: () => number | undefined;
}

const answerMs = 60_000;
/** At most so much is lost with the machine; a segment costs 16 MiB of writing, and packed next to nothing. */
const switchMs = 5 * 60_000;
/** A row is written after its file, and is visible after the others of its transaction. */
const overlapMs = 600_000;

interface Followed {
  readonly id: string;
  readonly timeline: string;
  /** Uploaded files that the place has. */
  readonly there: Map<string, Stored>;
  /** Files of rows before it are there. */
  since: Date;
}

export function openFollower(source: Source, place: BackupPlace, clock: Clock): Follower {
  const cluster = clusterOf(source.dataDir);
  let followed: Followed | undefined;
  let storedAt: number | undefined;
  let switchedMs = -Infinity;

  const find = async (session: Connection): Promise<Followed | undefined> => {
    if (followed) return followed;
    for (const id of (await listWhole(place)).toReversed())
      if ((await readSlot(session, slotOf(id))) !== undefined) return (followed = await toFollowed(place, id));
    return undefined;
  };
  const store = async (session: Connection, { id, timeline }: Followed, before?: number): Promise<boolean> => {
    const slot = slotOf(id);
    const at = await readSlot(session, slot);
    if (at === undefined) return false;
    await storeLog({ session, cluster, slot, timeline }, { place, id, next: toSegment(at), ...(before && { before }) });
    return true;
  };
  const storeFiles = async (one: Followed): Promise<void> => {
    const began = clock();
    const { added } = await storeUploads(source.pool, source.files, place, one);
    if (added.length > 0) await writeChecked(place, `${folderOf(one.id)}/added/${began}.json`, added);
    one.since = new Date(began - overlapMs);
  };
  return {
    follow: () =>
      withSession(source, async (session) => {
        const one = await find(session);
        if (!one) return false;
        const began = clock();
        if (performance.now() - switchedMs > switchMs) {
          await session.query("select pg_switch_wal()");
          switchedMs = performance.now();
        }
        // First the files, so that a row which is stored has its own.
        await storeFiles(one);
        const isStored = await store(session, one);
        // PostgreSQL has let go of the log: there is nothing to follow any more.
        if (isStored) storedAt = began;
        else followed = undefined;
        return isStored;
      }),
    across: (make) =>
      withSession(source, async (session) => {
        const before = await find(session);
        const follow = async (until?: number): Promise<void> => {
          if (before) await store(session, before, until);
        };
        const manifest = await make(follow);
        await follow(manifest.lastSegment + 1);
        await dropSlots(session, (name) => name !== slotOf(manifest.id));
        followed = await toFollowed(place, manifest.id);
        storedAt = clock();
        return manifest;
      }),
    storedAt: () => storedAt,
  };
}

async function withSession<T>(source: Source, work: (session: Connection) => Promise<T>): Promise<T> {
  const session = await openConnection(source.administratorUrl, { answerMs });
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

async function toFollowed(place: BackupPlace, id: string): Promise<Followed> {
  const { timeline, startedAt } = await readManifest(place, id);
  const since = new Date(Date.parse(startedAt) - overlapMs);
  return { id, timeline, since, there: await listStoredFiles(place) };
}
