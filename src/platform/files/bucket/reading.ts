import { createHash } from "node:crypto";
import { pipeline, Readable, Transform } from "node:stream";
import type { S3mini } from "s3mini";
import type { OpenedFile } from "#platform/files/file-store.ts";
import { codeOf, findRefusal, StoreFault, toFault } from "./client.ts";
import { checksumHeader } from "./putting.ts";

/** Opens a file of the bucket; undefined where there is none under the key. */
export async function openFile(client: S3mini, key: string): Promise<OpenedFile | undefined> {
  try {
    const { headers, body } = await client.getObjectRaw(key);
    const bytes = Number(headers.get("content-length"));
    const stream = body ? Readable.fromWeb(body as never) : Readable.from([]);
    return { bytes, stream: checkWhole(stream, headers.get(checksumHeader)) };
  } catch (error) {
    const refusal = findRefusal(error);
    if (refusal && codeOf(refusal) === "NoSuchKey") return undefined;
    throw error;
  }
}

/** The bytes as they come. What does not add up to the checksum ends in an error before its last piece, so that nobody takes it for whole. */
function checkWhole(body: Readable, sha256: string | null): Readable {
  const hash = createHash("sha256");
  let last: Buffer | undefined;
  const checked = new Transform({
    transform(piece: Buffer, _encoding, done) {
      hash.update(piece);
      const before = last;
      last = piece;
      done(null, before);
    },
    flush(done) {
      const isOther = sha256 !== null && hash.digest("hex") !== sha256;
      done(isOther ? new StoreFault("a file with another checksum") : null, last);
    },
  });
  body.once("error", (error) => checked.destroy(toFault(error)));
  return pipeline(body, checked, () => undefined);
}
