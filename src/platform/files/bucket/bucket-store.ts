import type { S3mini } from "s3mini";
import { singleFlight } from "#platform/contract/single-flight.ts";
import { type FileStore, isFileName, toPlace } from "#platform/files/file-store.ts";
import { findRefusal, openClient, StoreFault, toFault } from "./client.ts";
import { signAddress } from "./signed-address.ts";
import { putFile } from "./putting.ts";
import { openFile } from "./reading.ts";
import type { Bucket } from "./settings.ts";

// Below what health grants each part.
const probeMs = 1500;
// The longest answer but a file: a page of a list.
const mostAnswerBytes = 4 * 1024 ** 2;
const pageSize = 1000;

/**
 * A store in a bucket; files lie in it as they would below a folder, so that they can be copied from one to the other.
 * @param redirects whether browsers may be sent to the store itself
 */
export function openBucketFiles(bucket: Bucket, { redirects = false } = {}): FileStore {
  const client = openClient(bucket, { mostBytes: mostAnswerBytes });
  const reader = openClient(bucket);
  const prober = openClient(bucket, { timeoutMs: probeMs, tries: 1 });
  const toKey = (name: string): string => bucket.prefix + toPlace(name);
  return {
    kind: "s3",
    put: async (name, file) => told(putFile(client, toKey(name), file)),
    stat: async (name) => told(measure(client, toKey(name))),
    open: async (name) => told(openFile(reader, toKey(name))),
    ...(redirects && { sign: (name, headers) => signAddress(bucket, toKey(name), headers) }),
    remove: async (name) => told(remove(client, toKey(name))),
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

async function remove(client: S3mini, key: string): Promise<void> {
  // 204 whether there was one or not; 404 is a bucket that is not there.
  await client.deleteObject(key);
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
