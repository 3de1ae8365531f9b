import { createHash, type Hash } from "node:crypto";
import { openAsBlob } from "node:fs";
import { pipeline, Readable, Transform } from "node:stream";
import { AwsV4Signer } from "aws4fetch";
import type { S3mini } from "s3mini";
import { singleFlight } from "#platform/contract/single-flight.ts";
import {
  type FileStore,
  isFileName,
  type LocalFile,
  type OpenedFile,
  type ServedHeaders,
  toPlace,
} from "#platform/files/file-store.ts";
import { codeOf, findRefusal, openClient, StoreFault, toFault } from "./client.ts";
import type { Bucket } from "./settings.ts";

// Below what health grants each part.
const probeMs = 1500;
const pageSize = 1000;

/**
 * A store in a bucket; files lie in it as they would below a folder, so that they can be copied from one to the other.
 * @param redirects whether browsers may be sent to the store itself
 */
export function openBucketFiles(bucket: Bucket, { redirects = false } = {}): FileStore {
  const client = openClient(bucket);
  const prober = openClient(bucket, { timeoutMs: probeMs, tries: 1 });
  const toKey = (name: string): string => bucket.prefix + toPlace(name);
  return {
    kind: "s3",
    put: async (name, file) => told(putFile(client, toKey(name), file)),
    stat: async (name) => told(measure(client, toKey(name))),
    open: async (name) => told(openFile(client, toKey(name))),
    ...(redirects && { sign: (name, headers) => signAddress(bucket, toKey(name), headers) }),
    // 204 whether there was one or not; 404 is a bucket that is not there.
    remove: async (name) => void (await told(client.deleteObject(toKey(name)))),
    listOlder: (ageMs) => listOlder(client, bucket.prefix, Date.now() - ageMs),
    abandonOlder: (ageMs) => told(abandonOlder(client, bucket.prefix, Date.now() - ageMs)),
    answers: singleFlight(() => prober.bucketExists().catch(() => false), answersMs),
  };
}

const told = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw toFault(error);
  });

/** For so long an answer is told again to whoever asks often, such as what watches the process. */
const answersMs = 2000;

async function measure(client: S3mini, key: string): Promise<{ bytes: number } | undefined> {
  try {
    return { bytes: await client.getContentLength(key) };
  } catch (error) {
    // An answer to HEAD has no body that would tell a missing file from a missing bucket.
    if (findRefusal(error)?.status === 404 && (await client.bucketExists())) return undefined;
    throw findRefusal(error)?.status === 404 ? new StoreFault("status 404 NoSuchBucket") : error;
  }
}

async function* listOlder(client: S3mini, prefix: string, before: number): AsyncGenerator<string[]> {
  let next: string | undefined;
  do {
    const page = await told(client.listObjectsPaged("/", prefix, pageSize, next));
    if (!page?.objects) throw new StoreFault("status 404 NoSuchBucket");
    yield page.objects
      .filter(({ LastModified }) => LastModified.getTime() < before)
      .map(({ Key }) => toName(Key, prefix))
      .filter((name) => name !== undefined);
    next = page.nextContinuationToken;
  } while (next !== undefined);
}

/** The name that lies under a key; undefined for what is not of this store. */
function toName(key: string, prefix: string): string | undefined {
  const name = key.slice(prefix.length + "ab/".length);
  return isFileName(name) && key === prefix + toPlace(name) ? name : undefined;
}

interface Unfinished {
  readonly Key: string;
  readonly UploadId: string;
  readonly Initiated: string;
}

/** The first thousand: there are more only where each of that many uploads was cut off within the hour. */
async function abandonOlder(client: S3mini, prefix: string, before: number): Promise<void> {
  // The library types another spelling of the answer than the one that it reads.
  const page = (await client.listMultipartUploads("/", prefix, "GET", { prefix })) as {
    readonly ListMultipartUploadsResult?: { readonly Upload?: Unfinished | readonly Unfinished[] };
  };
  for (const { Key, UploadId, Initiated } of [page.ListMultipartUploadsResult?.Upload ?? []].flat())
    if (Date.parse(Initiated) < before && toName(Key, prefix) !== undefined)
      await client.abortMultipartUpload(Key, UploadId).catch((error: unknown) => {
        if (findRefusal(error)?.status !== 404) throw error;
      });
}

/** The size of a part, and the largest file that goes in one piece. At 10,000 parts a file may have 78 GiB. */
const partBytes = 8 * 1024 ** 2;
const contentType = "application/octet-stream";

/** Kept beside the file, so that whoever reads it can tell that it is the one that arrived. */
const checksumHeader = "x-amz-meta-sha256";

/** Stores a local file under a key. Nothing is to be seen under it until all of it is. */
async function putFile(client: S3mini, key: string, file: LocalFile): Promise<void> {
  const content = await openAsBlob(file.path);
  const meta = { [checksumHeader]: file.sha256.toString("hex") };
  if (file.bytes > partBytes) return putInParts(client, key, { ...file, content }, meta);
  const whole = createHash("sha256");
  const digest = await describe(content, whole);
  refuseOther(file, whole);
  await client.putObject(key, content, contentType, undefined, { ...meta, ...digest });
}

type Content = LocalFile & { readonly content: Blob };

async function putInParts(client: S3mini, key: string, file: Content, meta: Record<string, string>): Promise<void> {
  const uploadId = await client.getMultipartUploadId(key, contentType, undefined, meta);
  try {
    const whole = createHash("sha256");
    const parts = [];
    // One after the other: several at once would have one upload crowd out the others.
    for (let start = 0; start < file.bytes; start += partBytes) {
      const piece = file.content.slice(start, start + partBytes);
      const digest = await describe(piece, whole);
      parts.push(await client.uploadPart(key, uploadId, piece, parts.length + 1, {}, undefined, digest));
    }
    refuseOther(file, whole);
    await client.completeMultipartUpload(key, uploadId, parts).catch((error: unknown) => {
      // Not there any more: a try before this one completed it, and its answer was lost. The size tells.
      if (findRefusal(error)?.status !== 404) throw error;
    });
  } catch (error) {
    // Not waited for: the store that has just failed may hang once more, and what stays is abandoned after an hour.
    void client.abortMultipartUpload(key, uploadId).catch(() => undefined);
    throw error;
  }
  // A store that completes an upload begins its answer before it knows: an error can follow the status of a success.
  if ((await client.getContentLength(key)) !== file.bytes) throw new StoreFault("a file of another size");
}

/** Read twice from the disk, for its checksum and to be sent, rather than kept in memory: parts of many uploads are 8 MiB each. */
async function describe(piece: Blob, whole: Hash): Promise<{ "content-md5": string }> {
  // The one checksum of what is on its way that every compatible store holds against it.
  const md5 = createHash("md5");
  for await (const chunk of piece.stream()) {
    md5.update(chunk);
    whole.update(chunk);
  }
  return { "content-md5": md5.digest("base64") };
}

function refuseOther({ sha256 }: LocalFile, whole: Hash): void {
  if (!whole.digest().equals(sha256)) throw new StoreFault("a file that is not the one that arrived");
}

/** Opens a file of the bucket; undefined where there is none under the key. */
async function openFile(client: S3mini, key: string): Promise<OpenedFile | undefined> {
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

const goodForSeconds = 60;

/** An address with which anybody may read the file of the key for a minute; the store answers with these headers. */
async function signAddress(bucket: Bucket, key: string, headers: ServedHeaders): Promise<string> {
  const url = new URL(`${bucket.endpoint}/${bucket.bucket}/${key}`);
  url.searchParams.set("X-Amz-Expires", String(goodForSeconds));
  for (const [name, value] of Object.entries(headers)) url.searchParams.set(`response-${name}`, value);
  const signer = new AwsV4Signer({
    method: "GET",
    url: url.href,
    signQuery: true,
    accessKeyId: bucket.accessKey,
    secretAccessKey: bucket.secretKey,
    region: bucket.region,
    service: "s3",
  });
  return (await signer.sign()).url.href;
}
