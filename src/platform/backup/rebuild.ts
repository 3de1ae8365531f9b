import { createHash } from "node:crypto";
import { mkdir, stat, statfs, writeFile } from "node:fs/promises";
import path from "node:path";
import { Transform, Writable } from "node:stream";
import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";
import { filesAtOnce } from "./copy.ts";
import { type Digest, digestInto, digestOf, join, unpack, unpackSmall } from "./digest.ts";
import { segmentBytes, toSegmentName } from "./log.ts";
import { filesFolder, folderOf, type Manifest, readAdded, type Stored } from "./manifest.ts";
import { type BackupPlace, type Content, smallBytes, syncAll, writeWhole } from "./place.ts";

// A backup becomes a cluster again: its files are unpacked into a folder, then PostgreSQL replays the log there.

export interface Wanted {
  readonly place: BackupPlace;
  readonly manifest: Manifest;
  /** Becomes a DATA_DIR. What an earlier try has left there is gone on with. */
  readonly folder: string;
  /** Left out: as far as the log goes. */
  readonly to?: Date | undefined;
  /** To stay: uploaded files come along, and all of it outlives a power cut. Otherwise those are only read. */
  readonly lasting: boolean;
}

/** A running PostgreSQL on the rebuilt cluster. */
export type Rebuilt = Awaited<ReturnType<typeof startEmbeddedPostgres>>;

const spareBytes = 256 * 1024 ** 2;

/**
 * Rebuilds a cluster, each file held against its checksum, and starts PostgreSQL there, which has replayed the log when this
 * returns. @throws {Error} of one line, for a person, that names what is damaged, missing or too large.
 */
export async function rebuild(wanted: Wanted): Promise<Rebuilt> {
  const { manifest, folder, to, lasting } = wanted;
  const unpacked = path.join(folder, "unpacked");
  // PostgreSQL changes what it recovers: from then on nothing is unpacked again.
  if (!(await exists(unpacked))) {
    const files = await unpackAll(wanted);
    if (lasting) await syncAll(files);
    await writeFile(unpacked, `${manifest.id}\n`, { mode: 0o600 });
  }
  const settings = [
    "hot_standby=off",
    // PostgreSQL wants a command; all that it could fetch lies in pg_wal already. Every system's shell knows this one.
    "restore_command=exit 1",
    "recovery_target_action=promote",
    // PostgreSQL knows no Z here, since it reads its settings before its time zones.
    ...(to ? [`recovery_target_time=${to.toISOString().replace("Z", "+00")}`] : []),
  ];
  try {
    return await startEmbeddedPostgres({ dataDir: folder, settings, fast: !lasting });
  } catch (error) {
    if (to && error instanceof Error && error.message.includes("before configured recovery target"))
      throw new Error(`the log ends before ${to.toISOString()}: without --to, all of it is restored`, { cause: error });
    throw error;
  }
}

const exists = async (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

/** Returns the paths of what it has written. */
async function unpackAll({ place, manifest, folder, lasting }: Wanted): Promise<string[]> {
  const log = await listLog(place, manifest);
  const uploads = mergeByName([...manifest.files, ...(await readAdded(place, manifest.id))]);
  const uploadBytes = lasting ? uploads.reduce((sum, { bytes }) => sum + bytes, 0) : 0;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await requireRoom(folder, manifest.unpackedBytes + log.length * segmentBytes + uploadBytes + spareBytes);
  const cluster = path.join(folder, "postgres", "cluster");
  for (const name of ["", ...manifest.folders])
    await mkdir(path.join(cluster, ...name.split("/")), { recursive: true, mode: 0o700 });
  await writeFile(path.join(cluster, "recovery.signal"), "", { mode: 0o600 });
  const below = folderOf(manifest.id);
  const written: string[] = [];
  const bringTo = async (root: string, file: LogFile, from: string): Promise<void> => {
    const target = path.join(root, toLocal(file.name, from));
    await bring(place, file, target);
    written.push(target);
  };
  await eachOf(uploads, (file) =>
    lasting ? bringTo(path.join(folder, filesFolder), file, `${filesFolder}/`) : check(place, file),
  );
  await eachOf(log, (file) => bringTo(path.join(cluster, "pg_wal"), file, `${below}/log/`));
  await eachOf(manifest.cluster, (file) => bringTo(cluster, file, `${below}/cluster/`));
  return written;
}

async function eachOf<T>(list: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < list.length; from += filesAtOnce)
    await Promise.all(list.slice(from, from + filesAtOnce).map(work));
}

const mergeByName = (files: readonly Stored[]): Stored[] => [
  ...new Map(files.map((file) => [file.name, file])).values(),
];

/** Of a name in a manifest, a path below a folder of ours. @throws {Error} for one that leads out of it. */
function toLocal(name: string, below: string): string {
  const rest = name.slice(below.length).replace(/\.zst$/, "");
  const parts = rest.split("/");
  if (!name.startsWith(below) || parts.some((part) => ["", ".", ".."].includes(part) || /[\\:]/.test(part)))
    throw new Error(`the manifest names ${name.slice(0, 80)}, which is no file of a backup`);
  return path.join(...parts);
}

/** The segments of the copy, whose checksums are known, and those that followed it without a gap. */
async function listLog(place: BackupPlace, { id, timeline, lastSegment, log }: Manifest): Promise<LogFile[]> {
  const there = new Set<string>();
  for await (const { name } of place.list(`${folderOf(id)}/log`)) there.add(name);
  const all: LogFile[] = [...log];
  for (let segment = lastSegment + 1; ; segment++) {
    const name = `${folderOf(id)}/log/${toSegmentName(timeline, segment)}.zst`;
    if (!there.has(name)) return all;
    all.push({ name });
  }
}

interface LogFile {
  readonly name: string;
  readonly bytes?: number;
  readonly sha256?: string;
}

async function requireRoom(folder: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const toMb = (bytes: number): number => Math.ceil(bytes / 1024 ** 2);
  if (bavail * bsize < neededBytes)
    throw new Error(`${folder} has ${toMb(bavail * bsize)} MiB free, and ${toMb(neededBytes)} MiB are needed`);
}

/** Puts a file of the place where it belongs, if it is what was stored; one that is there by now was. */
async function bring(place: BackupPlace, file: LogFile, target: string): Promise<void> {
  if (await exists(target)) return;
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  const isPacked = file.name.endsWith(".zst");
  try {
    const content = await open(place, file);
    if (Buffer.isBuffer(content)) await writeWhole(target, isPacked ? await unpackSmall(content) : content);
    else await writeWhole(target, isPacked ? unpack(content) : content);
  } catch (error) {
    throw describeDamage(file, error);
  }
}

async function check(place: BackupPlace, file: Stored): Promise<void> {
  const content = await open(place, file);
  if (Buffer.isBuffer(content)) return;
  await digestInto(content, new Writable({ write: (_piece, _encoding, done) => done() }));
}

/** What is small is held against its checksum at once, what is large as it is read. */
async function open(place: BackupPlace, file: LogFile): Promise<Content> {
  const isSmall = file.bytes !== undefined && file.bytes <= smallBytes;
  const content = isSmall ? await place.readWhole(file.name) : await place.read(file.name);
  if (!content) throw new Error(`${file.name} is missing in ${place.describe}`);
  if (!Buffer.isBuffer(content)) return join(content, holdAgainst(file));
  if (!isStored(file, digestOf(content))) throw toDamage(file);
  return content;
}

const isStored = (file: LogFile, { bytes, sha256 }: Digest): boolean =>
  file.sha256 === undefined || (file.sha256 === sha256 && file.bytes === bytes);

const toDamage = ({ name }: LogFile): Damage => new Damage(`${name} is damaged: it is not what was stored`);

class Damage extends Error {}

/** Lets a stream pass, and fails at its end when it is not what was stored. */
function holdAgainst(file: LogFile): Transform {
  const hash = createHash("sha256");
  let bytes = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      hash.update(piece);
      bytes += piece.length;
      done(undefined, piece);
    },
    flush(done) {
      done(isStored(file, { bytes, sha256: hash.digest("hex") }) ? undefined : toDamage(file));
    },
  });
}

/** What does not unpack is damaged too: its end, where its checksum is known, may never be reached. */
function describeDamage({ name }: LogFile, error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^(?:ZSTD|Z_|ERR_STREAM|ERR_ZLIB)/.test(code)
    ? new Damage(`${name} is damaged: it cannot be unpacked`)
    : error;
}
