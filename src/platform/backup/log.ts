import { createReadStream } from "node:fs";
import path from "node:path";
import type { Connection } from "#platform/database/index.ts";
import { pack } from "./digest.ts";
import { folderOf, type Stored } from "./manifest.ts";
import type { BackupPlace } from "./place.ts";

// PostgreSQL's write-ahead log comes in segments of 16 MiB. A replication slot keeps them in pg_wal until they are here; so no
// command of a shell is needed to archive them, and PostgreSQL itself gives a slot up that keeps too much of the disk.

export const segmentBytes = 16 * 1024 ** 2;
const segmentsPerName = 2 ** 32 / segmentBytes;

const hex = (n: number): string => n.toString(16).toUpperCase().padStart(8, "0");

/** The name of a segment's file in pg_wal. */
export const toSegmentName = (timeline: string, segment: number): string =>
  timeline + hex(Math.floor(segment / segmentsPerName)) + hex(segment % segmentsPerName);

/** The number of the segment that a place of the log, such as 0/1A2B3C4, lies in. */
export function toSegment(place: string): number {
  const [high = "", low = ""] = place.split("/");
  return Number.parseInt(high, 16) * segmentsPerName + Math.floor(Number.parseInt(low, 16) / segmentBytes);
}

export const toLogPlace = (segment: number): string =>
  `${Math.floor(segment / segmentsPerName).toString(16)}/${((segment % segmentsPerName) * segmentBytes).toString(16)}`;

/** One row of a statement of the administrator. */
export async function ask<R extends object>(
  session: Connection,
  text: string,
  values: readonly unknown[] = [],
): Promise<R> {
  const { rows } = await session.query<R>(text, [...values]);
  const [row] = rows;
  if (!row) throw new Error("PostgreSQL answered nothing");
  return row;
}

export interface LogReader {
  readonly session: Connection;
  readonly cluster: string;
  readonly slot: string;
  readonly timeline: string;
}

export interface LogPiece {
  readonly place: BackupPlace;
  /** Of the backup beside which it is stored. */
  readonly id: string;
  readonly next: number;
  /** Where it ends at the latest. */
  readonly before?: number;
}

/** Stores the segments from `next` on that PostgreSQL has finished, lets go of them, and returns what it has stored. */
export async function storeLog(
  { session, cluster, slot, timeline }: LogReader,
  { place, id, next, before = Infinity }: LogPiece,
): Promise<Stored[]> {
  const { flushed } = await ask<{ flushed: string }>(session, "select pg_current_wal_flush_lsn()::text as flushed");
  const end = Math.min(toSegment(flushed), before);
  const all: Stored[] = [];
  for (let segment = next; segment < end; segment++) {
    const name = toSegmentName(timeline, segment);
    const content = createReadStream(path.join(cluster, "pg_wal", name));
    const stored = `${folderOf(id)}/log/${name}.zst`;
    all.push({ name: stored, ...(await place.put(stored, pack(content))) });
    await place.settle();
    await session.query("select pg_replication_slot_advance($1, $2::pg_lsn)", [slot, toLogPlace(segment + 1)]);
  }
  return all;
}
