import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { FastifyRequest } from "fastify";
import { type Db, inTransaction, type Pool } from "#platform/database.ts";
import { detectUploadType } from "#platform/file-type.ts";
import type { FileStore } from "#platform/files/file-store.ts";
import { explain, Problem } from "#platform/problem.ts";
import { toStorable } from "#platform/storable-text.ts";

/** A file that has arrived whole and belongs to this request alone. */
export interface ArrivedFile {
  readonly path: string;
  readonly originalName: string;
  readonly bytes: number;
  readonly sha256: Buffer;
  /** Form fields that came before or after the file. */
  readonly fields: Readonly<Record<string, string>>;
}

const mostFields = 20;

/**
 * Receives the one multipart part called `file` into the folder of arrivals.
 * @throws {Problem} badFile: no file, an empty one, two, or one that was cut off; fileTooLarge. Nothing is left on the disk then.
 */
export async function receiveFile(request: FastifyRequest, files: FileStore, mostBytes: number): Promise<ArrivedFile> {
  if (!request.isMultipart()) throw explain("badFile", "应为 multipart/form-data", "multipart/form-data is needed");
  const place = path.join(files.arrivals, randomBytes(16).toString("hex"));
  try {
    return await receiveParts(request, place, mostBytes);
  } catch (error) {
    await rm(place, { force: true });
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

async function receiveParts(request: FastifyRequest, place: string, mostBytes: number): Promise<ArrivedFile> {
  const fields: Record<string, string> = {};
  let arrived: Omit<ArrivedFile, "fields"> | undefined;
  const limits = { fileSize: mostBytes, files: 1, fields: mostFields, fieldSize: 64 * 1024, parts: mostFields + 1 };
  for await (const part of request.parts({ limits })) {
    if (part.type === "field") {
      fields[part.fieldname] = String(part.value);
    } else if (part.fieldname !== "file") {
      throw explain("badFile", "文件字段名应为 file", "the part must be called file");
    } else {
      arrived = { path: place, originalName: part.filename ?? "", ...(await save(part.file, place)) };
      if (part.file.truncated) throw new Problem("fileTooLarge");
    }
  }
  if (!arrived) throw explain("badFile", "缺少文件", "there is no file");
  if (arrived.bytes === 0) throw explain("badFile", "文件为空", "the file is empty");
  return { ...arrived, fields };
}

async function save(source: NodeJS.ReadableStream, place: string): Promise<{ bytes: number; sha256: Buffer }> {
  const hash = createHash("sha256");
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(source, measure, createWriteStream(place, { flags: "wx", mode: 0o600 }));
  return { bytes, sha256: hash.digest() };
}

export interface KeepOptions {
  readonly service: string;
  readonly imagesOnly: boolean;
  readonly quotaBytes: number;
  /** Runs the insert once an Idempotency-Key. */
  readonly once: (tx: Db, create: () => Promise<string>) => Promise<string>;
}

/**
 * Keeps an arrived file under a random name of 128 bits and returns the name. Nobody has claimed it yet; unclaimed
 * uploads are removed after 24 hours. The file is on disk before the row is, so no row is ever without its file.
 * @throws {Problem} badFile when the content is none of the allowed types, notAllowedNow when the room is used up.
 */
export async function keepUpload(
  pool: Pool,
  files: FileStore,
  file: ArrivedFile,
  options: KeepOptions,
): Promise<string> {
  const type = await detectUploadType(file.path, file.originalName);
  if (!type) throw explain("badFile", "不支持的文件类型", "files of this type are not taken");
  if (options.imagesOnly && !type.image) throw explain("badFile", "只接受图片", "only images are taken");
  const name = `${randomBytes(16).toString("hex")}.${type.extension}`;
  await files.put(name, file.path);
  let kept: string | undefined;
  try {
    const upload = { name, mime: type.mime, image: type.image, originalName: toStorable(file.originalName, 255) };
    kept = await inTransaction(pool, (tx) => options.once(tx, () => insertUpload(tx, upload, file.bytes, options)));
    return kept;
  } finally {
    if (kept !== name) await files.remove(name);
  }
}

async function insertUpload(
  tx: Db,
  { name, mime, image, originalName }: Upload,
  bytes: number,
  options: KeepOptions,
): Promise<string> {
  await reserveRoom(tx, bytes, options.quotaBytes);
  await tx`
    insert into platform.upload (name, service, mime, image, bytes, original_name)
    values (${name}, ${options.service}, ${mime}, ${image}, ${bytes}, ${originalName})`;
  return name;
}

async function reserveRoom(tx: Db, bytes: number, quotaBytes: number): Promise<void> {
  const taken = await tx`
    update platform.upload_usage set bytes = bytes + ${bytes} where bytes + ${bytes} <= ${quotaBytes} returning 1`;
  if (taken.length === 0) throw explain("notAllowedNow", "文件存储空间已满", "the room for uploads is used up");
}

export interface Upload {
  readonly name: string;
  readonly mime: string;
  readonly image: boolean;
  readonly originalName: string;
}

/** An upload of the service by its name. */
export async function findUpload(db: Db, service: string, name: string): Promise<Upload | undefined> {
  const [row] = await db<Upload[]>`
    select name, mime, image, original_name as "originalName" from platform.upload
    where name = ${name} and service = ${service}`;
  return row;
}

/** Marks uploads as named by a record, so that they stay. Returns those of the names that are uploads. */
export async function claimUploads(tx: Db, service: string, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const rows = await tx<{ name: string }[]>`
    update platform.upload set claimed = true where service = ${service} and name = any(${names as string[]})
    returning name`;
  return rows.map(({ name }) => name);
}

/** Removes uploads that no record has named within 24 hours; the rows first, so that none is left without its file. */
export async function removeUnclaimedUploads(pool: Pool, files: FileStore): Promise<number> {
  const removed = await pool<{ name: string }[]>`
    with old as (
      delete from platform.upload where not claimed and created_at < now() - interval '24 hours' returning name, bytes
    ), freed as (
      update platform.upload_usage set bytes = greatest(0, bytes - (select coalesce(sum(bytes), 0) from old))
    )
    select name from old`;
  for (const { name } of removed) await files.remove(name);
  return removed.length;
}
