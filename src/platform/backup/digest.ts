import { createHash } from "node:crypto";
import { type Readable, Transform, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { constants, createZstdCompress, createZstdDecompress, zstdCompress, zstdDecompress } from "node:zlib";

/** What a file is known by; `sha256` in hexadecimal digits. */
export interface Digest {
  readonly bytes: number;
  readonly sha256: string;
}

export const digestOf = (content: Buffer): Digest => ({
  bytes: content.length,
  sha256: createHash("sha256").update(content).digest("hex"),
});

/** Passes a stream on to its end and says what it was. */
export async function digestInto(content: Readable, target: Writable): Promise<Digest> {
  const hash = createHash("sha256");
  let bytes = 0;
  const count = new Transform({
    transform(piece: Buffer, _encoding, done) {
      hash.update(piece);
      bytes += piece.length;
      done(undefined, piece);
    },
  });
  await pipeline(content, count, target);
  return { bytes, sha256: hash.digest("hex") };
}

// The fastest level: of tables it leaves a quarter to a third, of a log that is mostly zeros next to nothing.
const packing = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } };

/** A failure of what is packed fails the packed stream. */
export const pack = (content: Readable): Readable => join(content, createZstdCompress(packing));

export const unpack = (content: Readable): Readable => join(content, createZstdDecompress());

const compress = promisify(zstdCompress);

export const packSmall = (content: Buffer): Promise<Buffer> => compress(content, packing);

export const unpackSmall: (content: Buffer) => Promise<Buffer> = promisify(zstdDecompress);

export function join(content: Readable, next: Transform): Transform {
  pipeline(content, next).catch((error: unknown) => next.destroy(error as Error));
  return next;
}
