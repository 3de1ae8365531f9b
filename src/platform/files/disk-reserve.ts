import { randomBytes } from "node:crypto";
import { open, rename, rm, stat, statfs } from "node:fs/promises";
import path from "node:path";

// A PostgreSQL whose disk is full can neither go on nor be started to delete something. Uploads and imports leave it room,
// but other programs may not: so a file keeps some on its disk, and is given up when there is none left.

const reserveBytes = 64 * 1024 ** 2;
/** Below it PostgreSQL, which makes its log in files of 16 MiB, may end at any moment. */
const criticalBytes = 32 * 1024 ** 2;
/** Only of a disk that has plenty is anything kept. */
const ampleBytes = 4 * reserveBytes;
const checkIntervalMs = 2000;
const pieceBytes = 1024 ** 2;

const toReservePath = (dataDir: string): string => path.join(dataDir, "room-for-the-database");

export interface DiskReserve {
  /** Of the disk at the moment. */
  readonly freeBytes: number;
  /** How much has just been given to the database. */
  readonly releasedBytes: number;
}

/** Gives the kept room up when the disk is full. */
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

/** Keeps room when there is none kept, and plenty on the disk. */
async function createReserve(dataDir: string, { freeBytes }: DiskReserve): Promise<void> {
  const reservePath = toReservePath(dataDir);
  if (freeBytes < ampleBytes || (await stat(reservePath).catch(() => undefined))) return;
  {
    await using file = await open(`${reservePath}.new`, "w", 0o600);
    // Of zeros, or of one piece over and over, some file systems would keep next to nothing.
    for (let written = 0; written < reserveBytes; written += pieceBytes) await file.write(randomBytes(pieceBytes));
  }
  await rename(`${reservePath}.new`, reservePath);
}

/** What to tell whoever runs the server, when its disk is as good as full. */
export function describeFullDisk(dataDir: string, { freeBytes, releasedBytes }: DiskReserve): string | undefined {
  if (freeBytes >= ampleBytes || (releasedBytes === 0 && freeBytes >= criticalBytes)) return undefined;
  const given = releasedBytes > 0 ? `, ${toMb(releasedBytes)} of them kept for this until now` : "";
  return `the disk of ${dataDir} is full: ${toMb(freeBytes)} are free${given}; make room on it, or the database will end`;
}

const toMb = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;

/** Looks after the kept room until it is stopped; a full disk is told once. */
export function watchDiskReserve(dataDir: string, report: (line: string) => void): () => void {
  let wasReported = false;
  const check = async (): Promise<void> => {
    const reserve = await releaseReserve(dataDir);
    await createReserve(dataDir, reserve);
    const line = describeFullDisk(dataDir, reserve);
    if (line !== undefined && !wasReported) report(line);
    wasReported = line !== undefined;
  };
  // What cannot be read or written now is looked at again.
  const timer = setInterval(() => void check().catch(() => undefined), checkIntervalMs).unref();
  return () => clearInterval(timer);
}
