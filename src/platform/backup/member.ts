import { createHash, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { decrypt, encrypt } from "./encryption.ts";
import type { BackupKey } from "./keys.ts";

/** A file of a backup as it lies there, packed and perhaps sealed. */
export interface Stored {
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** Of its encryption; left out: it is not encrypted. */
  readonly salt?: string | undefined;
}

const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

interface WriteOptions {
  readonly key: BackupKey;
  readonly signal?: AbortSignal | undefined;
}

/** Writes a file, which has reached the disk when this returns. */
export async function writeMember(
  file: string,
  content: AsyncIterable<Buffer>,
  { key: { cipher }, signal }: WriteOptions,
): Promise<Stored> {
  const salt = cipher && randomBytes(16).toString("hex");
  const packed = through(content, createZstdCompress(fastest));
  const digest = openDigest();
  await pipeline(
    cipher && salt !== undefined ? encrypt(packed, cipher, salt) : packed,
    digest.pass,
    createWriteStream(file, { flags: "wx", mode: 0o600, flush: true }),
    { signal },
  );
  return { ...digest.result(), salt };
}

/** What was written; fails at its end at the latest when the file is not what was stored. */
export function readMember(file: string, stored: Stored, { cipher }: BackupKey): Readable {
  const raw = readChecked(file, stored);
  const packed = cipher && stored.salt !== undefined ? decrypt(raw, cipher, stored.salt) : raw;
  return through(packed, createZstdDecompress());
}

/** @throws {Error} of one line when a file is not what was stored */
export async function checkMember(file: string, stored: Stored): Promise<void> {
  for await (const _piece of readChecked(file, stored));
}

async function* readChecked(file: string, { bytes, sha256 }: Stored): AsyncGenerator<Buffer> {
  const digest = openDigest();
  yield* digest.pass(createReadStream(file, { highWaterMark: 256 * 1024 }));
  const found = digest.result();
  if (found.bytes !== bytes || found.sha256 !== sha256)
    throw new Error(`${file} is damaged: it is not what was stored`);
}

export interface Digest {
  /** Gives on what it is given. */
  readonly pass: (pieces: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>;
  /** What has passed. */
  readonly result: () => { readonly bytes: number; readonly sha256: string };
}

export function openDigest(): Digest {
  const hash = createHash("sha256");
  let bytes = 0;
  return {
    async *pass(pieces) {
      for await (const piece of pieces) {
        hash.update(piece);
        bytes += piece.length;
        yield piece;
      }
    },
    result: () => ({ bytes, sha256: hash.digest("hex") }),
  };
}

/** A failure of the content fails what is read. */
function through(content: AsyncIterable<Buffer>, next: Transform): Transform {
  pipeline(Readable.from(content), next).catch((error: unknown) => next.destroy(error as Error));
  return next;
}
