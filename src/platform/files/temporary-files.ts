import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm, stat, statfs } from "node:fs/promises";
import path from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { MultipartFile } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { explain, Problem } from "#platform/contract/problem.ts";
import type { Pool } from "#platform/database/index.ts";

// Temporary files are uploads that are being received or are held for a later request, and rows that an import spools.
// They count towards the upload quota and never use the disk space reserved for the database.

export interface TemporaryFile {
  readonly path: string;
  /**
   * Must be called with the number of further bytes before these bytes are written.
   * @throws {Problem} notAllowedNow if the quota or the disk space does not suffice
   */
  reserve(bytes: number): void;
  end(): Promise<void>;
}

export type TemporaryFiles = Awaited<ReturnType<typeof openTemporaryFiles>>;

export interface StorageLimits {
  readonly quotaBytes: number;
  readonly serviceQuotaBytes: number;
  readonly reserveBytes: number;
}

// No request takes this long, even with its time in a queue, so an older file is abandoned.
const abandonedAfterMs = 6 * 3_600_000;
const measureIntervalMs = 1000;

/** @param folder must be on the same disk as the file store */
export async function openTemporaryFiles(pool: Pool, folder: string, limits: StorageLimits) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const reservedBytes = new Map<string, number>();
  const disk = openDisk(folder);
  const sum = (): number => [...reservedBytes.values()].reduce((all, bytes) => all + bytes, 0);
  return {
    async begin(service: string): Promise<TemporaryFile> {
      const counting = pool<{ all: number; own: number }[]>`
        select coalesce(sum(bytes), 0)::bigint as all, coalesce(sum(bytes) filter (where service = ${service}), 0)::bigint as own
        from platform.upload_usage`;
      const [[stored = { all: 0, own: 0 }]] = await Promise.all([counting, disk.measure()]);
      const filePath = path.join(folder, randomBytes(16).toString("hex"));
      let reserved = 0;
      const reserve = (bytes: number): void => {
        const own = reservedBytes.get(service) ?? 0;
        if (stored.own + own + bytes > limits.serviceQuotaBytes || stored.all + sum() + bytes > limits.quotaBytes)
          throw quotaExceeded();
        if (disk.freeBytes() - bytes < limits.reserveBytes)
          throw explain(
            "notAllowedNow",
            "服务器磁盘空间不足，暂停接收文件",
            "the server is low on disk space and does not accept files at the moment",
          );
        reserved += bytes;
        reservedBytes.set(service, own + bytes);
        disk.take(bytes);
      };
      reserve(1);
      return {
        path: filePath,
        reserve,
        async end() {
          await rm(filePath, { force: true });
          reservedBytes.set(service, (reservedBytes.get(service) ?? 0) - reserved);
          reserved = 0;
        },
      };
    },
    async hasSpace(): Promise<boolean> {
      await disk.measure();
      return disk.freeBytes() >= limits.reserveBytes;
    },
    async removeOld(now: number): Promise<void> {
      for (const name of await readdir(folder)) {
        const filePath = path.join(folder, name);
        const found = await stat(filePath).catch(() => undefined);
        if (found && found.mtimeMs < now - abandonedAfterMs) await rm(filePath, { force: true });
      }
    },
  };
}

function openDisk(folder: string) {
  let free = 0;
  let measuredAt = 0;
  const measure = async (): Promise<void> => {
    measuredAt = performance.now();
    const { bavail, bsize } = await statfs(folder);
    free = bavail * bsize;
  };
  return {
    measure,
    freeBytes: () => free,
    take(bytes: number): void {
      free -= bytes;
      if (performance.now() - measuredAt > measureIntervalMs) measure().catch(() => undefined);
    },
  };
}

export const quotaExceeded = (): Problem =>
  explain("notAllowedNow", "文件存储配额已用尽", "the upload quota is exceeded");

export interface UploadSettings {
  readonly UPLOAD_QUOTA_GB: number;
  readonly UPLOAD_SERVICE_QUOTA_GB?: number | undefined;
  readonly DISK_RESERVE_MB: number;
  readonly UPLOAD_SCANNER?: string | undefined;
}

export function toStorageLimits(settings: UploadSettings): StorageLimits {
  const { UPLOAD_QUOTA_GB: all, UPLOAD_SERVICE_QUOTA_GB: own = all / 2, DISK_RESERVE_MB: free } = settings;
  return { quotaBytes: all * 1024 ** 3, serviceQuotaBytes: own * 1024 ** 3, reserveBytes: free * 1024 ** 2 };
}

export interface ReceivedFile {
  readonly path: string;
  readonly originalName: string;
  readonly bytes: number;
  readonly sha256: Buffer;
  readonly fields: Readonly<Record<string, string>>;
  /** Adds an owner of the file. The file is deleted when every owner has called `end`. */
  share(): ReceivedFile;
  end(): Promise<void>;
}

const maxFields = 20;

/**
 * Receives the single multipart part named `file`. If an error occurs, no file remains on the disk.
 * @throws {Problem} badFile unless the body is complete multipart data with a non-empty `file` and no other file;
 * fileTooLarge; notAllowedNow if the quota or the disk is exhausted
 * @throws {FastifyError} beyond the limits for files and fields
 */
export async function receiveFile(
  request: FastifyRequest,
  temporaryFiles: TemporaryFiles,
  service: string,
  maxBytes: number,
): Promise<ReceivedFile> {
  if (!request.isMultipart())
    throw explain("badFile", "请求体应为 multipart/form-data", "the request body must be multipart/form-data");
  let temporaryFile: TemporaryFile | undefined;
  try {
    temporaryFile = await temporaryFiles.begin(service);
    return await receiveParts(request, temporaryFile, maxBytes);
  } catch (error) {
    await temporaryFile?.end();
    // The rest of the body is discarded, because unread bytes would precede the next request of this connection.
    request.raw.unpipe().resume();
    const { name, code } = error as Partial<NodeJS.ErrnoException>;
    // A plain Error without a code comes from the multipart parser.
    const isParserError = name === "Error" && code === undefined && !(error instanceof Problem);
    const isInterrupted = code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ECONNRESET";
    if (!isParserError && !isInterrupted) throw error;
    throw explain("badFile", "multipart 请求体不完整或无法解析", "the multipart body is incomplete or malformed");
  }
}

async function receiveParts(
  request: FastifyRequest,
  temporaryFile: TemporaryFile,
  maxBytes: number,
): Promise<ReceivedFile> {
  const fields: Record<string, string> = {};
  let received: Omit<ReceivedFile, "fields" | "share" | "end"> | undefined;
  const limits = { fileSize: maxBytes, files: 1, fields: maxFields, fieldSize: 64 * 1024, parts: maxFields + 1 };
  for await (const part of request.parts({ limits })) {
    if (part.type === "field") {
      fields[part.fieldname] = String(part.value);
    } else if (part.fieldname !== "file") {
      throw explain("badFile", "文件字段名应为 file", "the file part must be named file");
    } else {
      received = {
        path: temporaryFile.path,
        originalName: part.filename ?? "",
        ...(await save(part.file, temporaryFile)),
      };
      if (part.file.truncated) throw new Problem("fileTooLarge");
    }
  }
  if (!received) throw explain("badFile", "缺少文件", "no file was uploaded");
  if (received.bytes === 0) throw explain("badFile", "文件为空", "the file is empty");
  return shareFile({ ...received, fields }, () => temporaryFile.end());
}

function shareFile(file: Omit<ReceivedFile, "share" | "end">, remove: () => Promise<void>): ReceivedFile {
  let shares = 0;
  const share = (): ReceivedFile => {
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

async function save(
  source: MultipartFile["file"],
  temporaryFile: TemporaryFile,
): Promise<{ bytes: number; sha256: Buffer }> {
  const hash = createHash("sha256");
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        temporaryFile.reserve(chunk.length);
      } catch (error) {
        return done(error as Error);
      }
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(source, measure, createWriteStream(temporaryFile.path, { flags: "wx", mode: 0o600 }));
  return { bytes, sha256: hash.digest() };
}
