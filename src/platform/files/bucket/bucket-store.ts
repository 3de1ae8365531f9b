import { type FileStore, isFileName, toPlace } from "#platform/files/file-store.ts";
import { readElement, readElements, readSuccess, toFault } from "./answers.ts";
import { openExchange, type Send } from "./exchange.ts";
import { signAddress } from "./signed-address.ts";
import { listObjects } from "./listing.ts";
import { abandon, putFile } from "./putting.ts";
import { openFile } from "./reading.ts";
import type { Bucket } from "./settings.ts";

// Below what health grants each part.
const probeMs = 1500;

/**
 * A store in a bucket; files lie in it as they would below a folder, so that they can be copied from one to the other.
 * @param redirects whether browsers may be sent to the store itself
 */
export function openBucketFiles(bucket: Bucket, { redirects = false } = {}): FileStore {
  const send = openExchange(bucket);
  const toKey = (name: string): string => bucket.prefix + toPlace(name);
  return {
    kind: "s3",
    put: async (name, file) => putFile(send, toKey(name), file),
    stat: async (name) => measure(send, toKey(name)),
    open: async (name, range) => openFile(send, toKey(name), range),
    ...(redirects && { sign: (name, headers) => signAddress(bucket, toKey(name), headers) }),
    async remove(name) {
      // 204 whether there was one or not; 404 is a bucket that is not there.
      await readSuccess(await send({ method: "DELETE", key: toKey(name) }));
    },
    listOlder: (ageMs) => listOlder(send, bucket.prefix, Date.now() - ageMs),
    abandonOlder: (ageMs) => abandonOlder(send, bucket.prefix, Date.now() - ageMs),
    answers: shareAnswers(() => isThere(send, probeMs)),
  };
}

async function isThere(send: Send, timeoutMs?: number): Promise<boolean> {
  const reply = await send({ method: "HEAD", ...(timeoutMs !== undefined && { timeoutMs }) });
  await reply.body.dump();
  return reply.statusCode < 300;
}

const answersMs = 2000;

/** Whoever asks often, such as what watches the process, shares an answer. */
function shareAnswers(ask: () => Promise<boolean>): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined;
  let askedAt = 0;
  return () => {
    if (asked && performance.now() - askedAt < answersMs) return asked;
    askedAt = performance.now();
    return (asked = ask().catch(() => false));
  };
}

async function measure(send: Send, key: string): Promise<{ bytes: number } | undefined> {
  const reply = await send({ method: "HEAD", key });
  await reply.body.dump();
  if (reply.statusCode === 200) return { bytes: Number(reply.headers["content-length"]) };
  // An answer to HEAD has no body that would tell a missing file from a missing bucket.
  if (reply.statusCode === 404 && (await isThere(send))) return undefined;
  throw toFault(reply, "");
}

async function* listOlder(send: Send, prefix: string, before: number): AsyncGenerator<string[]> {
  for await (const objects of listObjects(send, prefix))
    yield objects
      .filter(({ modifiedAt }) => modifiedAt < before)
      .map(({ key }) => toName(key, prefix))
      .filter((name) => name !== undefined);
}

/** The name that lies under a key; undefined for what is not of this store. */
function toName(key: string, prefix: string): string | undefined {
  const name = key.slice(prefix.length + "ab/".length);
  return isFileName(name) && key === prefix + toPlace(name) ? name : undefined;
}

/** The first thousand: there are more only where each of that many uploads was cut off within the hour. */
async function abandonOlder(send: Send, prefix: string, before: number): Promise<void> {
  const page = await readSuccess(await send({ method: "GET", query: { uploads: "", prefix } }));
  for (const entry of readElements(page, "Upload")) {
    const key = readElement(entry, "Key") ?? "";
    const uploadId = readElement(entry, "UploadId");
    const isOld = Date.parse(readElement(entry, "Initiated") ?? "") < before;
    if (isOld && uploadId !== undefined && toName(key, prefix) !== undefined) await abandon(send, key, uploadId);
  }
}
