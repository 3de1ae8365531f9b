import path from "node:path";
import { type Connection, openConnection, type Pool } from "#platform/database/index.ts";
import type { FileStore } from "#platform/files/file-store.ts";
import { removalLock } from "#platform/files/upload.ts";
import { copyCluster, listCluster } from "./copy.ts";
import { ask, type LogReader, storeLog, toSegment } from "./log.ts";
import { claimPlace, folderOf, listWhole, type Manifest, type Stored, toBackupId, writeManifest } from "./manifest.ts";
import { type BackupPlace, putText } from "./place.ts";
import { prune, removeUnfinished } from "./pruning.ts";
import { dropSlots, makeSlot, slotOf } from "./slots.ts";
import { listStoredFiles, storeUploads } from "./uploads.ts";

/** What is backed up: a running embedded cluster, and the files that its rows name. */
export interface Source {
  readonly administratorUrl: string;
  readonly dataDir: string;
  readonly pool: Pool;
  readonly files: FileStore;
}

export const clusterOf = (dataDir: string): string => path.join(path.resolve(dataDir), "postgres", "cluster");

// A checkpoint of a busy cluster takes its time; nothing else that is asked does.
const answerMs = 600_000;
// Of the log that is written meanwhile: sooner than PostgreSQL would give the slot up.
const logEveryMs = 5000;

/** Another backup of this cluster is under way. */
export class BackupUnderWay extends Error {}

export interface BackupOptions {
  readonly signal?: AbortSignal;
  /** Called every few seconds while the cluster is copied. */
  readonly meanwhile?: () => Promise<void>;
  /** Whether what is written afterwards will be stored, too: its slot then stays. One place alone is followed. */
  readonly followed?: boolean;
  /** How many backups stay in the place, this one among them; left out: all. */
  readonly keep?: number | undefined;
}

/**
 * Backs up the cluster while it serves, into a place that is its own, and returns what the backup holds.
 * @throws {BackupUnderWay} when another is under way; {Error} of one line when the place holds something else, or fails.
 */
export async function makeBackup(source: Source, place: BackupPlace, options: BackupOptions = {}): Promise<Manifest> {
  const session = await openConnection(source.administratorUrl, { answerMs });
  try {
    await takeLock(session);
    const { system } = await ask<{ system: string }>(
      session,
      "select system_identifier::text as system from pg_control_system()",
    );
    await claimPlace(place, system);
    await removeUnfinished(place);
    if (options.followed) await dropUnfinished(session, place);
    const manifest = await copyAll(source, place, { ...options, session, system });
    if (options.keep !== undefined) await prune(place, options.keep);
    return manifest;
  } finally {
    // With it go its lock, its slot, and a backup that was not ended.
    await session.close();
  }
}

async function takeLock(session: Connection): Promise<void> {
  const { taken } = await ask<{ taken: boolean }>(
    session,
    "select pg_try_advisory_lock(hashtextextended('backup', 0)) as taken",
  );
  if (!taken) throw new BackupUnderWay("another backup is under way");
  // Waits for whoever is removing just now.
  await session.query(`select pg_advisory_lock(${removalLock})`);
}

async function dropUnfinished(session: Connection, place: BackupPlace): Promise<void> {
  const slots = new Set((await listWhole(place)).map(slotOf));
  await dropSlots(session, (name) => !slots.has(name));
}

interface Work extends BackupOptions {
  readonly session: Connection;
  readonly system: string;
}

async function copyAll(source: Source, place: BackupPlace, work: Work): Promise<Manifest> {
  const started = new Date();
  const slot = slotOf(toBackupId(started));
  await makeSlot(work.session, slot, work.followed === true);
  try {
    return await copyFrom(started, source, place, work);
  } catch (error) {
    await dropSlots(work.session, (name) => name === slot).catch(() => undefined);
    throw error;
  }
}

async function copyFrom(started: Date, source: Source, place: BackupPlace, work: Work): Promise<Manifest> {
  const { session, system, signal, meanwhile } = work;
  const id = toBackupId(started);
  const slot = slotOf(id);
  const cluster = clusterOf(source.dataDir);
  const begun = await begin(session, id);
  const reader: LogReader = { session, cluster, slot, timeline: begun.timeline };
  const log: Stored[] = [];
  const followLog = async (): Promise<void> => {
    log.push(...(await storeLog(reader, { place, id, next: begun.segment + log.length })));
    await meanwhile?.();
  };
  const { folders, files } = await listCluster(cluster);
  const copied = await copyCluster(cluster, files, { place, id, between: everyMs(logEveryMs, followLog, signal) });
  const ended = await end(session, place, id);
  await followLog();
  if (begun.segment + log.length <= ended.segment) throw new Error("the log of the backup is not whole");
  const uploads = await storeUploads(source.pool, source.files, place, { there: await listStoredFiles(place) });
  signal?.throwIfAborted();
  const manifest: Manifest = {
    format: 1,
    id,
    startedAt: started.toISOString(),
    endedAt: ended.at.toISOString(),
    postgres: begun.version,
    system,
    timeline: begun.timeline,
    firstSegment: begun.segment,
    lastSegment: begun.segment + log.length - 1,
    folders: [...folders],
    unpackedBytes: copied.unpackedBytes,
    cluster: [...copied.files, ended.label],
    log,
    files: [...uploads.all],
  };
  await writeManifest(place, manifest);
  return manifest;
}

function everyMs(ms: number, work: () => Promise<void>, signal: AbortSignal | undefined): () => Promise<void> {
  let last = performance.now();
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - last < ms) return;
    await work();
    last = performance.now();
  };
}

interface Begun {
  readonly segment: number;
  readonly timeline: string;
  readonly version: string;
}

async function begin(session: Connection, id: string): Promise<Begun> {
  const { at } = await ask<{ at: string }>(session, "select pg_backup_start($1, true)::text as at", [id]);
  const { timeline, version } = await ask<{ timeline: string; version: string }>(
    session,
    "select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline, current_setting('server_version') as version",
  );
  return { segment: toSegment(at), timeline, version };
}

interface Ended {
  readonly segment: number;
  readonly at: Date;
  readonly label: Stored;
}

/** Ends the copy, and with it the segment: what the copy needs of the log is finished when this returns. */
async function end(session: Connection, place: BackupPlace, id: string): Promise<Ended> {
  const { before, label, at } = await ask<{ before: string; label: string; at: Date }>(
    session,
    `select (lsn - 1)::text as before, labelfile as label, clock_timestamp() as at from pg_backup_stop(false)`,
  );
  const name = `${folderOf(id)}/cluster/backup_label`;
  return { segment: toSegment(before), at: new Date(at), label: { name, ...(await putText(place, name, label)) } };
}
