import { createHash } from "node:crypto";
import { openAsBlob } from "node:fs";
import { pipeline, Readable, Transform } from "node:stream";
import type { S3mini } from "s3mini";
import { singleFlight } from "#platform/contract/single-flight.ts";
import {
  type FileStore,
  isFileName,
  type LocalFile,
  type OpenedFile,
  toStoragePath,
} from "#platform/files/file-store.ts";
import { codeOf, findServiceError, openClient, StorageError, toStorageError } from "./client.ts";
import type { Bucket } from "./settings.ts";

const probeMs = 1500;
const pageSize = 1000;

/**
 * Below the prefix, objects have the same paths as files in the local store, so files can be copied between the stores.
 */
export function openBucketFiles(bucket: Bucket): FileStore {
  const client = openClient(bucket);
  const prober = openClient(bucket, { timeoutMs: probeMs, tries: 1 });
  const toKey = (name: string): string => bucket.prefix + toStoragePath(name);
  return {
    kind: "s3",
    put: async (name, file) => wrapErrors(putFile(client, toKey(name), file)),
    stat: async (name) => wrapErrors(measure(client, toKey(name))),
    open: async (name) => wrapErrors(openFile(client, toKey(name))),
    // S3 answers 204 even if the object does not exist; 404 means that the bucket does not exist.
    remove: async (name) => void (await wrapErrors(client.deleteObject(toKey(name)))),
    listOlder: (ageMs) => listOlder(client, bucket.prefix, Date.now() - ageMs),
    isReachable: singleFlight(() => prober.bucketExists().catch(() => false), reachableFreshMs),
  };
}

const wrapErrors = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw toStorageError(error);
  });

const reachableFreshMs = 2000;

async function measure(client: S3mini, key: string): Promise<{ bytes: number } | undefined> {
  try {
    return { bytes: await client.getContentLength(key) };
  } catch (error) {
    // A HEAD response has no body that would tell a missing object from a missing bucket, so the bucket is checked too.
    if (findServiceError(error)?.status === 404 && (await client.bucketExists())) return undefined;
    throw findServiceError(error)?.status === 404 ? new StorageError("status 404 NoSuchBucket") : error;
  }
}

async function* listOlder(client: S3mini, prefix: string, before: number): AsyncGenerator<string[]> {
  let next: string | undefined;
  do {
    const page = await wrapErrors(client.listObjectsPaged("/", prefix, pageSize, next));
    if (!page?.objects) throw new StorageError("status 404 NoSuchBucket");
    yield page.objects
      .filter(({ LastModified }) => LastModified.getTime() < before)
      .map(({ Key }) => toName(Key, prefix))
      .filter((name) => name !== undefined);
    next = page.nextContinuationToken;
  } while (next !== undefined);
}

function toName(key: string, prefix: string): string | undefined {
  const name = key.slice(prefix.length + "ab/".length);
  return isFileName(name) && key === prefix + toStoragePath(name) ? name : undefined;
}

const contentType = "application/octet-stream";

const checksumHeader = "x-amz-meta-sha256";

/**
 * The object becomes visible only when it is complete. The file is read twice, once for its checksums and once for the
 * upload, so that its content need not be kept in memory.
 */
async function putFile(client: S3mini, key: string, file: LocalFile): Promise<void> {
  const content = await openAsBlob(file.path);
  // MD5 is the only checksum of transfers that every S3-compatible store verifies.
  const [md5, sha256] = [createHash("md5"), createHash("sha256")];
  for await (const chunk of content.stream()) {
    md5.update(chunk);
    sha256.update(chunk);
  }
  if (!sha256.digest().equals(file.sha256)) throw new StorageError("the local file differs from the received one");
  const sums: Record<string, string> = {
    "content-md5": md5.digest("base64"),
    [checksumHeader]: file.sha256.toString("hex"),
  };
  await client.putObject(key, content, contentType, undefined, sums);
}

async function openFile(client: S3mini, key: string): Promise<OpenedFile | undefined> {
  try {
    const { headers, body } = await client.getObjectRaw(key);
    const bytes = Number(headers.get("content-length"));
    const stream = body ? Readable.fromWeb(body as never) : Readable.from([]);
    return { bytes, stream: checkWhole(stream, headers.get(checksumHeader)) };
  } catch (error) {
    const refusal = findServiceError(error);
    if (refusal && codeOf(refusal) === "NoSuchKey") return undefined;
    throw error;
  }
}

/**
 * If the checksum does not match, the stream fails before its last chunk, so that no client takes the file for
 * complete.
 */
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
      done(isOther ? new StorageError("checksum mismatch") : null, last);
    },
  });
  body.once("error", (error) => checked.destroy(toStorageError(error)));
  return pipeline(body, checked, () => undefined);
}
