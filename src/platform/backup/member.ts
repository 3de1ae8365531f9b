import { createCipheriv, createHash, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { PassThrough, pipeline as connect, type Readable, Transform, type TransformCallback } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import type { BackupKey } from "./keys.ts";

// Each table and each uploaded file in a backup is compressed, and encrypted if there is a data key. The authenticated
// manifest contains their checksums.

export interface Stored {
  readonly bytes: number;
  readonly sha256: string;
  readonly salt?: string | undefined;
}

const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/**
 * Counter mode encrypts and decrypts by the same operation. Each file has its own key, so every counter can start at
 * zero.
 */
function openCipher(cipher: KeyObject | undefined, salt: string | undefined): Transform {
  if (!cipher || salt === undefined) return new PassThrough();
  const key = hkdfSync("sha256", cipher, Buffer.from(salt, "hex"), "quintet backup", 32);
  return createCipheriv("aes-256-ctr", Buffer.from(key), Buffer.alloc(16));
}

export async function writeMember(
  file: string,
  content: AsyncIterable<Buffer>,
  { key: { cipher }, signal }: { readonly key: BackupKey; readonly signal?: AbortSignal | undefined },
): Promise<Stored> {
  const salt = cipher && randomBytes(16).toString("hex");
  const digest = new Digest();
  const target = createWriteStream(file, { flags: "wx", mode: 0o600, flush: true });
  await pipeline(content, createZstdCompress(fastest), openCipher(cipher, salt), digest, target, { signal });
  return { ...digest.result(), salt };
}

/** If the file is damaged, the stream fails, at the latest when it ends. */
export const readMember = (file: string, stored: Stored, { cipher }: BackupKey): Readable =>
  connect(readChecked(file, stored), openCipher(cipher, stored.salt), createZstdDecompress(), () => {});

export const readChecked = (file: string, stored: Stored): Readable =>
  connect(createReadStream(file, { highWaterMark: 256 * 1024 }), new Digest({ ...stored, file }), () => {});

export class Digest extends Transform {
  readonly #hash = createHash("sha256");
  readonly #expected: (Stored & { readonly file: string }) | undefined;
  #bytes = 0;

  constructor(expected?: Stored & { readonly file: string }) {
    super();
    this.#expected = expected;
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, next: TransformCallback): void {
    this.#hash.update(piece);
    this.#bytes += piece.length;
    next(null, piece);
  }

  override _flush(next: TransformCallback): void {
    const expected = this.#expected;
    if (!expected) return next();
    const { bytes, sha256 } = this.result();
    const isSame = bytes === expected.bytes && sha256 === expected.sha256;
    next(isSame ? null : new Error(`${expected.file} is damaged: its checksum does not match`));
  }

  result(): { readonly bytes: number; readonly sha256: string } {
    return { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }
}
