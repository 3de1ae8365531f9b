import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject } from "node:crypto";

// A stream is sealed in chunks of 64 KiB by AES-256-GCM, each with its tag behind it. The nonce of a chunk is its number and
// whether it is the last: one that is missing, moved or cut off does not open.

const chunkBytes = 64 * 1024;
const tagBytes = 16;
const algorithm = "aes-256-gcm";

type Pieces = AsyncIterable<Buffer>;

/** No two streams share a key, so that numbers will do as nonces. @param salt random, for this stream alone */
const deriveKey = (cipher: KeyObject, salt: string): Buffer =>
  Buffer.from(hkdfSync("sha256", cipher, Buffer.from(salt, "hex"), "quintet backup", 32));

function toNonce(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(index, 5, 6);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}

interface Chunk {
  readonly content: Buffer;
  readonly isLast: boolean;
}

/** Chunks of one size, of which the last alone may be shorter. */
async function* cut(pieces: Pieces, bytes: number): AsyncGenerator<Chunk> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const piece of pieces) {
    held.push(piece);
    heldBytes += piece.length;
    if (heldBytes <= bytes) continue;
    let rest = Buffer.concat(held);
    for (; rest.length > bytes; rest = rest.subarray(bytes)) yield { content: rest.subarray(0, bytes), isLast: false };
    held = [rest];
    heldBytes = rest.length;
  }
  yield { content: Buffer.concat(held), isLast: true };
}

export async function* encrypt(pieces: Pieces, cipher: KeyObject, salt: string): AsyncGenerator<Buffer> {
  const key = deriveKey(cipher, salt);
  let index = 0;
  for await (const { content, isLast } of cut(pieces, chunkBytes)) {
    const sealing = createCipheriv(algorithm, key, toNonce(index++, isLast));
    yield Buffer.concat([sealing.update(content), sealing.final(), sealing.getAuthTag()]);
  }
}

/** @throws where a chunk is not what was sealed */
export async function* decrypt(pieces: Pieces, cipher: KeyObject, salt: string): AsyncGenerator<Buffer> {
  const key = deriveKey(cipher, salt);
  let index = 0;
  for await (const { content, isLast } of cut(pieces, chunkBytes + tagBytes)) {
    const opening = createDecipheriv(algorithm, key, toNonce(index++, isLast), { authTagLength: tagBytes });
    opening.setAuthTag(content.subarray(-tagBytes));
    yield Buffer.concat([opening.update(content.subarray(0, -tagBytes)), opening.final()]);
  }
}
