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

// What lies on the disk and belongs to a request: a file that is arriving, rows that were read out of one. It takes room
// like what is stored, and none of it may take the room that the database needs to write another line.

export interface TemporaryFile {
  readonly path: string;
  /** Says that so many bytes more are about to be written. @throws {Problem} notAllowedNow when there is no room. */
  reserve(bytes: number): void;
  /** Removes the file, if it is still there, and gives its room back. */
  end(): Promise<void>;
}

export type TemporaryFiles = Awaited<ReturnType<typeof openTemporaryFiles>>;

/** How much may be stored and arriving at once. */
export interface StorageLimits {
  readonly quotaBytes: number;
  /** Of one service. */
  readonly serviceQuotaBytes: number;
  /** Left free on the disk. */
  readonly reserveBytes: number;
}

// Longer than any request may take, waiting for its turn included.
const abandonedAfterMs = 6 * 3_600_000;
const measureIntervalMs = 1000;

/** Opens the folder of arrivals, which lies on the same disk as the store. */
export async function openTemporaryFiles(pool: Pool, folder: string, limits: StorageLimits) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const reservedBytes = new Map<string, number>();
  const disk = openDisk(folder);
  const sum = (): number => [...reservedBytes.values()].reduce((all, bytes) => all + bytes, 0);
  return {
    /** Begins a file for an operation of the service. @throws {Problem} notAllowedNow when there is no room. */
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
            "服务器磁盘空间不足，暂不接收文件",
            "the server's disk is full, so no files are taken",
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
    /** Whether the disk has room beyond what is stored for the database. */
    async hasSpace(): Promise<boolean> {
      await disk.measure();
      return disk.freeBytes() >= limits.reserveBytes;
    },
    /** Removes what processes that were killed have left behind. */
    async removeOld(now: number): Promise<void> {
      for (const name of await readdir(folder)) {
        const filePath = path.join(folder, name);
        const found = await stat(filePath).catch(() => undefined);
        if (found && found.mtimeMs < now - abandonedAfterMs) await rm(filePath, { force: true });
      }
    },
  };
}

/** What is free on the disk of a folder, measured again a second later as long as somebody writes. */
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
  explain("notAllowedNow", "文件存储空间已满", "the room for uploads is used up");

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

/** A file that has arrived whole and belongs to this request alone. */
export interface ReceivedFile {
  readonly path: string;
  readonly originalName: string;
  readonly bytes: number;
  readonly sha256: Buffer;
  /** Form fields that came before or after the file. */
  readonly fields: Readonly<Record<string, string>>;
  /** The same file for somebody else, who ends it too; it stays until all have. */
  share(): ReceivedFile;
  /** To be called when the request is over. */
  end(): Promise<void>;
}

const maxFields = 20;

/**
 * Receives the one multipart part called `file` for an operation of the service.
 * @throws {Problem} badFile: no file, an empty one, two, or one that was cut off; fileTooLarge; notAllowedNow when there is
 *   no room. Nothing is left on the disk then.
 */
export async function receiveFile(
  request: FastifyRequest,
  temporaryFiles: TemporaryFiles,
  service: string,
  maxBytes: number,
): Promise<ReceivedFile> {
  if (!request.isMultipart()) throw explain("badFile", "应为 multipart/form-data", "multipart/form-data is needed");
  let temporaryFile: TemporaryFile | undefined;
  try {
    temporaryFile = await temporaryFiles.begin(service);
    return await receiveParts(request, temporaryFile, maxBytes);
  } catch (error) {
    await temporaryFile?.end();
    // An unread rest would stand in front of the next request of the connection: it is read and dropped.
    request.raw.unpipe().resume();
    const { name, code } = error as Partial<NodeJS.ErrnoException>;
    // The parser's own complaints are plain errors without a code.
    const isParserError = name === "Error" && code === undefined && !(error instanceof Problem);
    // A part has ended before its time, or the client has gone.
    const isInterrupted = code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ECONNRESET";
    if (!isParserError && !isInterrupted) throw error;
    throw explain("badFile", "multipart 内容不完整或无法读取", "the multipart body is cut off or cannot be read");
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
      throw explain("badFile", "文件字段名应为 file", "the part must be called file");
    } else {
      received = {
        path: temporaryFile.path,
        originalName: part.filename ?? "",
        ...(await save(part.file, temporaryFile)),
      };
      if (part.file.truncated) throw new Problem("fileTooLarge");
    }
  }
  if (!received) throw explain("badFile", "缺少文件", "there is no file");
  if (received.bytes === 0) throw explain("badFile", "文件为空", "the file is empty");
  return shareFile({ ...received, fields }, () => temporaryFile.end());
}

/** A file that ends with the last of those who have a share in it. */
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
