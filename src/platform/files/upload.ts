import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { MultipartFile } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toStorable } from "#platform/contract/storable-text.ts";
import { type Db, inTransaction, isUndone, type Pool } from "#platform/database/index.ts";
import { type Arrival, type Arrivals, quotaUsedUp, type RoomLimits } from "#platform/files/arrivals.ts";
import type { FileStore, LocalFile } from "#platform/files/file-store.ts";
import { detectUploadType } from "#platform/files/file-type.ts";

/** A file that has arrived whole and belongs to this request alone. */
export interface ArrivedFile {
  readonly path: string;
  readonly originalName: string;
  readonly bytes: number;
  readonly sha256: Buffer;
  /** Form fields that came before or after the file. */
  readonly fields: Readonly<Record<string, string>>;
  /** The same file for somebody else, who ends it too; it stays until all have. */
  share(): ArrivedFile;
  /** To be called when the request is over. */
  end(): Promise<void>;
}

const mostFields = 20;

/**
 * Receives the one multipart part called `file` for an operation of the service.
 * @throws {Problem} badFile: no file, an empty one, two, or one that was cut off; fileTooLarge; notAllowedNow when there is
 *   no room. Nothing is left on the disk then.
 */
export async function receiveFile(
  request: FastifyRequest,
  arrivals: Arrivals,
  service: string,
  mostBytes: number,
): Promise<ArrivedFile> {
  if (!request.isMultipart()) throw explain("badFile", "应为 multipart/form-data", "multipart/form-data is needed");
  let arrival: Arrival | undefined;
  try {
    arrival = await arrivals.begin(service);
    return await receiveParts(request, arrival, mostBytes);
  } catch (error) {
    await arrival?.end();
    // An unread rest would stand in front of the next request of the connection: it is read and dropped.
    request.raw.unpipe().resume();
    throw isMultipartFault(error)
      ? explain("badFile", "multipart 内容不完整或无法读取", "the multipart body is cut off or cannot be read")
      : error;
  }
}

/** The parser's own complaints are plain errors without a code, or a part that ended before its time, or the client has gone. */
const isMultipartFault = (error: unknown): boolean => {
  const { name, code } = error as Partial<NodeJS.ErrnoException>;
  return (
    code === "ERR_STREAM_PREMATURE_CLOSE" ||
    code === "ECONNRESET" ||
    (name === "Error" && code === undefined && !(error instanceof Problem))
  );
};

async function receiveParts(request: FastifyRequest, arrival: Arrival, mostBytes: number): Promise<ArrivedFile> {
  const fields: Record<string, string> = {};
  let arrived: Omit<ArrivedFile, "fields" | "share" | "end"> | undefined;
  const limits = { fileSize: mostBytes, files: 1, fields: mostFields, fieldSize: 64 * 1024, parts: mostFields + 1 };
  for await (const part of request.parts({ limits })) {
    if (part.type === "field") {
      fields[part.fieldname] = String(part.value);
    } else if (part.fieldname !== "file") {
      throw explain("badFile", "文件字段名应为 file", "the part must be called file");
    } else {
      arrived = { path: arrival.path, originalName: part.filename ?? "", ...(await save(part.file, arrival)) };
      if (part.file.truncated) throw new Problem("fileTooLarge");
    }
  }
  if (!arrived) throw explain("badFile", "缺少文件", "there is no file");
  if (arrived.bytes === 0) throw explain("badFile", "文件为空", "the file is empty");
  return openShares({ ...arrived, fields }, () => arrival.end());
}

/** A file that ends with the last of those who have a share in it. */
function openShares(file: Omit<ArrivedFile, "share" | "end">, remove: () => Promise<void>): ArrivedFile {
  let shares = 0;
  const share = (): ArrivedFile => {
    shares++;
    let isOver = false;
    const end = async (): Promise<void> => {
      if (isOver) return;
      isOver = true;
      if (--shares === 0) await remove();
    };
    return { ...file, share, end };
  };
  return share();
}

async function save(source: MultipartFile["file"], arrival: Arrival): Promise<{ bytes: number; sha256: Buffer }> {
  const hash = createHash("sha256");
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        arrival.take(chunk.length);
      } catch (error) {
        return done(error as Error);
      }
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(source, measure, createWriteStream(arrival.path, { flags: "wx", mode: 0o600 }));
  return { bytes, sha256: hash.digest() };
}

/** The settings that bound what is kept. */
export interface UploadSettings {
  readonly UPLOAD_QUOTA_GB: number;
  readonly UPLOAD_SERVICE_QUOTA_GB?: number | undefined;
  readonly DISK_RESERVE_MB: number;
}

export interface KeepOptions {
  readonly service: string;
  readonly imagesOnly: boolean;
  readonly settings: UploadSettings;
  /** Runs the insert once an Idempotency-Key. */
  readonly once: (tx: Db, create: () => Promise<string>) => Promise<string>;
}

/** What the settings leave to uploads. */
export function toRoomLimits({
  UPLOAD_QUOTA_GB,
  UPLOAD_SERVICE_QUOTA_GB,
  DISK_RESERVE_MB,
}: UploadSettings): RoomLimits {
  const quotaBytes = UPLOAD_QUOTA_GB * 1024 ** 3;
  const serviceQuotaBytes =
    UPLOAD_SERVICE_QUOTA_GB === undefined ? quotaBytes / 2 : UPLOAD_SERVICE_QUOTA_GB * 1024 ** 3;
  return { quotaBytes, serviceQuotaBytes, reserveBytes: DISK_RESERVE_MB * 1024 ** 2 };
}

/**
 * Keeps an arrived file under a random name of 128 bits and returns the name. Nobody holds it yet; uploads that nobody
 * comes to hold are removed after 24 hours. The file is stored before the row is, so no row is ever without its file.
 * @throws {Problem} badFile when the content is none of the allowed types, notAllowedNow when the room is used up,
 *   outsideFailed when the store fails.
 */
export async function keepUpload(
  pool: Pool,
  files: FileStore,
  file: LocalFile & Pick<ArrivedFile, "originalName">,
  options: KeepOptions,
): Promise<string> {
  const type = await detectUploadType(file.path, file.originalName);
  if (!type) throw explain("badFile", "不支持的文件类型", "files of this type are not taken");
  if (options.imagesOnly && !type.image) throw explain("badFile", "只接受图片", "only images are taken");
  const name = `${randomBytes(16).toString("hex")}.${type.extension}`;
  await files.put(name, file);
  const upload = { name, mime: type.mime, image: type.image, originalName: toStorable(file.originalName, 255) };
  try {
    const kept = await inTransaction(pool, (tx) =>
      options.once(tx, () => insertUpload(tx, upload, file.bytes, options)),
    );
    if (kept !== name) await discard(files, name);
    return kept;
  } catch (error) {
    // Where the answer to the COMMIT was lost, the row may be there; where it is not, the housekeeping finds the file.
    if (error instanceof Problem || isUndone(error)) await discard(files, name);
    throw error;
  }
}

/** What cannot be removed now is a file that no row names: the housekeeping finds it. */
const discard = (files: FileStore, name: string): Promise<void> => files.remove(name).catch(() => undefined);

async function insertUpload(
  tx: Db,
  { name, mime, image, originalName }: Upload,
  bytes: number,
  options: KeepOptions,
): Promise<string> {
  await reserveRoom(tx, bytes, options);
  await tx`
    insert into platform.upload (name, service, mime, image, bytes, original_name)
    values (${name}, ${options.service}, ${mime}, ${image}, ${bytes}, ${originalName})`;
  return name;
}

/** One after the other, so that no two take the same room. */
async function reserveRoom(tx: Db, bytes: number, { service, settings }: KeepOptions): Promise<void> {
  const { quotaBytes, serviceQuotaBytes } = toRoomLimits(settings);
  await tx`select pg_advisory_xact_lock(hashtextextended('room for uploads', 0))`;
  const [row] = await tx<{ fits: boolean }[]>`
    select coalesce(sum(bytes), 0) + ${bytes} <= ${quotaBytes}
      and coalesce(sum(bytes) filter (where service = ${service}), 0) + ${bytes} <= ${serviceQuotaBytes} as fits
    from platform.upload_usage`;
  if (row?.fits !== true) throw quotaUsedUp();
}

export interface Upload {
  readonly name: string;
  readonly mime: string;
  readonly image: boolean;
  readonly originalName: string;
}

/** An upload of the service by its name; a released one is not there. */
export async function findUpload(db: Db, service: string, name: string): Promise<Upload | undefined> {
  const [row] = await db<Upload[]>`
    select name, mime, image, original_name as "originalName" from platform.upload
    where name = ${name} and service = ${service} and remove_at is null`;
  return row;
}

/** Releases uploads that no record has come to hold within 24 hours. */
export async function releaseUnclaimedUploads(pool: Pool): Promise<void> {
  await pool`
    update platform.upload set remove_at = now()
    where not claimed and remove_at is null and created_at < now() - interval '24 hours'`;
}

const removedAtOnce = 500;

/** Who makes a backup holds this lock, and whoever removes files shares it: each row of the copy then has its file. */
export const removalLock = "hashtextextended('removal of files', 0)";

/** While a backup is under way, removing is left to the next housekeeping. */
async function whileNoBackup(pool: Pool, work: (db: Db) => Promise<void>): Promise<void> {
  const session = await pool.reserve();
  try {
    const [row] = await session.script<{ free: boolean }>(`select pg_try_advisory_lock_shared(${removalLock}) as free`);
    if (row?.free !== true) return;
    try {
      await work(session);
    } finally {
      await session.script(`select pg_advisory_unlock_shared(${removalLock})`);
    }
  } finally {
    session.release();
  }
}

/** Removes the files of released uploads whose time has come, and then their rows: what is cut off is done again. */
export const removeReleasedUploads = (pool: Pool, files: FileStore): Promise<void> =>
  whileNoBackup(pool, (db) => removeReleased(db, files));

async function removeReleased(db: Db, files: FileStore): Promise<void> {
  for (;;) {
    const released = await db<{ name: string }[]>`
      select name from platform.upload where remove_at <= now() order by name limit ${removedAtOnce}`;
    if (released.length === 0) return;
    for (const { name } of released) await files.remove(name);
    await db`delete from platform.upload where remove_at <= now() and name = any(${released.map(({ name }) => name)})`;
  }
}

// A row follows its file within a transaction, which is over long before.
const lostAfterMs = 3_600_000;

/** Removes files that no row names: their process was killed, or the answer to its COMMIT was lost. */
export async function removeLostFiles(pool: Pool, files: FileStore): Promise<void> {
  for await (const names of files.listOlder(lostAfterMs)) {
    if (names.length === 0) continue;
    const rows = await pool<{ name: string }[]>`select name from platform.upload where name = any(${names})`;
    const known = new Set(rows.map(({ name }) => name));
    for (const name of names) if (!known.has(name)) await files.remove(name);
  }
  await files.abandonOlder(lostAfterMs);
}
