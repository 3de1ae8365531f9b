import { randomBytes } from "node:crypto";
import { open, rename, rm, stat, statfs } from "node:fs/promises";
import path from "node:path";

// A PostgreSQL whose disk is full can neither go on nor be started to delete something. Uploads and imports leave it room,
// but other programs may not: so a file keeps some on its disk, and is given up when there is none left.

const keptBytes = 64 * 1024 ** 2;
/** Below it PostgreSQL, which makes its log in files of 16 MiB, may end at any moment. */
const leastBytes = 32 * 1024 ** 2;
/** Only of a disk that has plenty is anything kept. */
const plentyBytes = 4 * keptBytes;
const lookMs = 2000;
const pieceBytes = 1024 ** 2;

const placeOf = (dataDir: string): string => path.join(dataDir, "room-for-the-database");

export interface KeptRoom {
  /** Of the disk at the moment. */
  readonly freeBytes: number;
  /** How much has just been given to the database. */
  readonly givenUpBytes: number;
}

/** Gives the kept room up when the disk is full. */
export async function giveUpRoom(dataDir: string): Promise<KeptRoom> {
  const freeBytes = await readFree(dataDir);
  const kept = freeBytes < leastBytes ? await stat(placeOf(dataDir)).catch(() => undefined) : undefined;
  if (!kept) return { freeBytes, givenUpBytes: 0 };
  await rm(placeOf(dataDir), { force: true });
  return { freeBytes: await readFree(dataDir), givenUpBytes: kept.size };
}

async function readFree(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Keeps room when there is none kept, and plenty on the disk. */
async function keepRoom(dataDir: string, { freeBytes }: KeptRoom): Promise<void> {
  const place = placeOf(dataDir);
  if (freeBytes < plentyBytes || (await stat(place).catch(() => undefined))) return;
  {
    await using file = await open(`${place}.new`, "w", 0o600);
    // Of zeros, or of one piece over and over, some file systems would keep next to nothing.
    for (let written = 0; written < keptBytes; written += pieceBytes) await file.write(randomBytes(pieceBytes));
  }
  await rename(`${place}.new`, place);
}

/** What to tell whoever runs the server, when its disk is as good as full. */
export function describeFullDisk(dataDir: string, { freeBytes, givenUpBytes }: KeptRoom): string | undefined {
  if (freeBytes >= plentyBytes || (givenUpBytes === 0 && freeBytes >= leastBytes)) return undefined;
  const given = givenUpBytes > 0 ? `, ${toMb(givenUpBytes)} of them kept for this until now` : "";
  return `the disk of ${dataDir} is full: ${toMb(freeBytes)} are free${given}; make room on it, or the database will end`;
}

const toMb = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;

/** Looks after the kept room until it is stopped; a full disk is told once. */
export function watchKeptRoom(dataDir: string, tell: (line: string) => void): () => void {
  let told = false;
  const look = async (): Promise<void> => {
    const room = await giveUpRoom(dataDir);
    await keepRoom(dataDir, room);
    const line = describeFullDisk(dataDir, room);
    if (line !== undefined && !told) tell(line);
    told = line !== undefined;
  };
  // What cannot be read or written now is looked at again.
  const timer = setInterval(() => void look().catch(() => undefined), lookMs).unref();
  return () => clearInterval(timer);
}
