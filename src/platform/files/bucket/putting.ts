import { createHash, type Hash } from "node:crypto";
import { openAsBlob } from "node:fs";
import type { S3mini } from "s3mini";
import type { LocalFile } from "#platform/files/file-store.ts";
import { findRefusal, StoreFault } from "./client.ts";

/** The size of a part, and the largest file that goes in one piece. At 10,000 parts a file may have 78 GiB. */
const partBytes = 8 * 1024 ** 2;
const contentType = "application/octet-stream";

/** Kept beside the file, so that whoever reads it can tell that it is the one that arrived. */
export const checksumHeader = "x-amz-meta-sha256";

/** Stores a local file under a key. Nothing is to be seen under it until all of it is. */
export async function putFile(client: S3mini, key: string, file: LocalFile): Promise<void> {
  const content = await openAsBlob(file.path);
  const meta = { [checksumHeader]: file.sha256.toString("hex") };
  if (file.bytes > partBytes) return putInParts({ client, key, file, content }, meta);
  const whole = createHash("sha256");
  const digest = await describe(content, whole);
  refuseOther(file, whole);
  await client.putObject(key, content, contentType, undefined, { ...meta, ...digest });
}

interface Upload {
  readonly client: S3mini;
  readonly key: string;
  readonly file: LocalFile;
  readonly content: Blob;
}

async function putInParts(upload: Upload, meta: Record<string, string>): Promise<void> {
  const { client, key, file } = upload;
  const uploadId = await client.getMultipartUploadId(key, contentType, undefined, meta);
  try {
    await complete(upload, uploadId, await putParts(upload, uploadId));
  } catch (error) {
    // Not waited for: the store that has just failed may hang once more, and what stays is abandoned after an hour.
    void client.abortMultipartUpload(key, uploadId).catch(() => undefined);
    throw error;
  }
  // A store that completes an upload begins its answer before it knows: an error can follow the status of a success.
  if ((await client.getContentLength(key)) !== file.bytes) throw new StoreFault("a file of another size");
}

/** One after the other: several at once would have one upload crowd out the others. */
async function putParts({ client, key, file, content }: Upload, uploadId: string) {
  const whole = createHash("sha256");
  const parts = [];
  for (let start = 0; start < file.bytes; start += partBytes) {
    const piece = content.slice(start, start + partBytes);
    const digest = await describe(piece, whole);
    parts.push(await client.uploadPart(key, uploadId, piece, parts.length + 1, {}, undefined, digest));
  }
  refuseOther(file, whole);
  return parts;
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

async function complete({ client, key }: Upload, uploadId: string, parts: Awaited<ReturnType<typeof putParts>>) {
  await client.completeMultipartUpload(key, uploadId, parts).catch((error: unknown) => {
    // Not there any more: a try before this one completed it, and its answer was lost. The size tells.
    if (findRefusal(error)?.status !== 404) throw error;
  });
}
