import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, stat, statfs } from "node:fs/promises";
import path from "node:path";
import { explain, type Problem } from "#platform/contract/problem.ts";
import type { Pool } from "#platform/database/index.ts";

// What lies on the disk and belongs to a request: a file that is arriving, rows that were read out of one. It takes room
// like what is kept, and none of it may take the room that the database needs to write another line.

/** A file of a request's own. */
export interface Arrival {
  readonly path: string;
  /** Says that so many bytes more are about to be written. @throws {Problem} notAllowedNow when there is no room. */
  take(bytes: number): void;
  /** Removes the file, if it is still there, and gives its room back. */
  end(): Promise<void>;
}

export interface Arrivals {
  /** Begins a file for an operation of the service. @throws {Problem} notAllowedNow when there is no room. */
  begin(service: string): Promise<Arrival>;
  /** Whether the disk has room beyond what is kept for the database. */
  hasRoom(): Promise<boolean>;
  /** Removes what processes that were killed have left behind. */
  removeOld(now: number): Promise<void>;
}

export interface ArrivalsOptions {
  readonly pool: Pool;
  /** On the same disk as the store. */
  readonly folder: string;
  readonly limits: RoomLimits;
}

/** How much may be kept and arriving at once. */
export interface RoomLimits {
  readonly quotaBytes: number;
  /** Of one service. */
  readonly serviceQuotaBytes: number;
  /** Left free on the disk. */
  readonly reserveBytes: number;
}

// Longer than any request may take, waiting for its turn included.
const oldMs = 6 * 3_600_000;
const measuredMs = 1000;

/** Opens the folder of arrivals. */
export async function openArrivals({ pool, folder, limits }: ArrivalsOptions): Promise<Arrivals> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const arriving = new Map<string, number>();
  const disk = openDisk(folder);
  const sum = (): number => [...arriving.values()].reduce((all, bytes) => all + bytes, 0);
  return {
    async begin(service) {
      const [kept] = await Promise.all([readKept(pool, service), disk.measure()]);
      const place = path.join(folder, randomBytes(16).toString("hex"));
      let taken = 0;
      const take = (bytes: number): void => {
        const own = arriving.get(service) ?? 0;
        if (kept.own + own + bytes > limits.serviceQuotaBytes || kept.all + sum() + bytes > limits.quotaBytes)
          throw quotaUsedUp();
        if (disk.freeBytes() - bytes < limits.reserveBytes) throw diskFull();
        taken += bytes;
        arriving.set(service, own + bytes);
        disk.take(bytes);
      };
      take(1);
      return {
        path: place,
        take,
        async end() {
          await rm(place, { force: true });
          arriving.set(service, (arriving.get(service) ?? 0) - taken);
          taken = 0;
        },
      };
    },
    async hasRoom() {
      await disk.measure();
      return disk.freeBytes() >= limits.reserveBytes;
    },
    removeOld: (now) => removeOld(folder, now - oldMs),
  };
}

interface Disk {
  measure(): Promise<void>;
  freeBytes(): number;
  /** Counts what is written until the next measurement. */
  take(bytes: number): void;
}

/** What is free on the disk of a folder, measured once a second as long as somebody writes. */
function openDisk(folder: string): Disk {
  let free = 0;
  let measuredAt = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;
  const measure = async (): Promise<void> => {
    const { bavail, bsize } = await statfs(folder);
    free = bavail * bsize;
    measuredAt = performance.now();
  };
  const isOld = (): boolean => performance.now() - measuredAt > measuredMs;
  const refresh = (): Promise<void> => (underWay ??= measure().finally(() => (underWay = undefined)));
  return {
    measure: async () => void (isOld() && (await refresh())),
    freeBytes: () => free,
    take(bytes) {
      free -= bytes;
      if (isOld()) refresh().catch(() => undefined);
    },
  };
}

async function readKept(pool: Pool, service: string): Promise<{ all: number; own: number }> {
  const [kept] = await pool<{ all: number; own: number }[]>`
    select coalesce(sum(bytes), 0)::bigint as all, coalesce(sum(bytes) filter (where service = ${service}), 0)::bigint as own
    from platform.upload_usage`;
  return kept ?? { all: 0, own: 0 };
}

export const quotaUsedUp = (): Problem =>
  explain("notAllowedNow", "文件存储空间已满", "the room for uploads is used up");
const diskFull = (): Problem =>
  explain("notAllowedNow", "服务器磁盘空间不足，暂不接收文件", "the server's disk is full, so no files are taken");

async function removeOld(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const place = path.join(folder, name);
    const found = await stat(place).catch(() => undefined);
    if (found && found.mtimeMs < before) await rm(place, { force: true });
  }
}
