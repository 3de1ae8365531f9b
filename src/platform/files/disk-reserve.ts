import { randomBytes } from "node:crypto";
import { open, rename, rm, stat, statfs } from "node:fs/promises";
import path from "node:path";

// When the disk is full, PostgreSQL stops, and then no rows can be deleted to free space. Uploads leave disk space for
// PostgreSQL, but other programs do not. Therefore a file reserves some space, and is deleted when the disk is almost
// full.

const reserveBytes = 64 * 1024 ** 2;
/**
 * PostgreSQL writes its log (WAL) in files of 16 MiB, and may stop at any moment when less than `criticalBytes` is
 * free.
 */
const criticalBytes = 32 * 1024 ** 2;
const ampleBytes = 4 * reserveBytes;
const checkIntervalMs = 2000;
const pieceBytes = 1024 ** 2;

const toReservePath = (dataDir: string): string => path.join(dataDir, "room-for-the-database");

export interface DiskReserve {
  readonly freeBytes: number;
  readonly releasedBytes: number;
}

export async function releaseReserve(dataDir: string): Promise<DiskReserve> {
  const freeBytes = await readFree(dataDir);
  const reserve = freeBytes < criticalBytes ? await stat(toReservePath(dataDir)).catch(() => undefined) : undefined;
  if (!reserve) return { freeBytes, releasedBytes: 0 };
  await rm(toReservePath(dataDir), { force: true });
  return { freeBytes: await readFree(dataDir), releasedBytes: reserve.size };
}

async function readFree(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function createReserve(dataDir: string, { freeBytes }: DiskReserve): Promise<void> {
  const reservePath = toReservePath(dataDir);
  if (freeBytes < ampleBytes || (await stat(reservePath).catch(() => undefined))) return;
  {
    await using file = await open(`${reservePath}.new`, "w", 0o600);
    // The content is random, because some file systems compress or deduplicate zeros and repeated blocks.
    for (let written = 0; written < reserveBytes; written += pieceBytes) await file.write(randomBytes(pieceBytes));
  }
  await rename(`${reservePath}.new`, reservePath);
}

export function describeFullDisk(dataDir: string, { freeBytes, releasedBytes }: DiskReserve): string | undefined {
  if (freeBytes >= ampleBytes || (releasedBytes === 0 && freeBytes >= criticalBytes)) return undefined;
  const given = releasedBytes > 0 ? `, of which ${toMb(releasedBytes)} were just released from the reserve` : "";
  return `the disk of ${dataDir} is full: ${toMb(freeBytes)} are free${given}; free up space before the database stops`;
}

const toMb = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;

export function watchDiskReserve(dataDir: string, report: (line: string) => void): () => void {
  let wasReported = false;
  const check = async (): Promise<void> => {
    const reserve = await releaseReserve(dataDir);
    await createReserve(dataDir, reserve);
    const line = describeFullDisk(dataDir, reserve);
    if (line !== undefined && !wasReported) report(line);
    wasReported = line !== undefined;
  };
  const timer = setInterval(() => void check().catch(() => undefined), checkIntervalMs).unref();
  return () => clearInterval(timer);
}
