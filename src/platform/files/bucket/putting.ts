import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { LocalFile } from "#platform/files/file-store.ts";
import { readElement, readSuccess, readText, toFault } from "./answers.ts";
import { type CallBody, type Send, StoreFault } from "./exchange.ts";

/** The size of a part, and the largest file that goes in one piece. At 10,000 parts a file may have 78 GiB. */
export const partBytes = 8 * 1024 ** 2;

/** Kept beside the file, so that whoever reads it can tell that it is the one that arrived. */
export const checksumHeader = "x-amz-meta-sha256";

/** Stores a local file under a key. Nothing is to be seen under it until all of it is. */
export async function putFile(send: Send, key: string, file: LocalFile): Promise<void> {
  const sha256 = file.sha256.toString("hex");
  const headers = { [checksumHeader]: sha256 };
  if (file.bytes > partBytes) return putInParts(send, key, file, headers);
  const body = { bytes: file.bytes, sha256, open: () => createReadStream(file.path) };
  await readSuccess(await send({ method: "PUT", key, headers, body }));
}

async function putInParts(send: Send, key: string, file: LocalFile, headers: Record<string, string>): Promise<void> {
  const begun = await readSuccess(await send({ method: "POST", key, query: { uploads: "" }, headers }));
  const uploadId = readElement(begun, "UploadId");
  if (uploadId === undefined) throw new StoreFault("an upload without an id");
  try {
    await complete(send, { key, uploadId, file, etags: await putParts(send, { key, uploadId, file }) });
  } catch (error) {
    // Not waited for: the store that has just failed may hang once more, and what stays is abandoned after an hour.
    void abandon(send, key, uploadId).catch(() => undefined);
    throw error;
  }
}

interface Upload {
  readonly key: string;
  readonly uploadId: string;
  readonly file: LocalFile;
}

/** One after the other: several at once would have one upload crowd out the others. */
async function putParts(send: Send, { key, uploadId, file }: Upload): Promise<string[]> {
  const etags: string[] = [];
  for (let start = 0; start < file.bytes; start += partBytes) {
    const body = await describePart(file.path, start, Math.min(start + partBytes, file.bytes) - 1);
    const query = { partNumber: String(etags.length + 1), uploadId };
    const reply = await send({ method: "PUT", key, query, body });
    await readSuccess(reply);
    const etag = /^"?([\w-]{1,128})"?$/.exec(String(reply.headers["etag"]))?.[1];
    if (etag === undefined) throw new StoreFault("a part without an ETag");
    etags.push(etag);
  }
  return etags;
}

/** Read twice from the disk, for its checksum and to be sent, rather than kept in memory: parts of many uploads are 8 MiB each. */
async function describePart(path: string, start: number, end: number): Promise<CallBody> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { start, end })) hash.update(chunk as Buffer);
  return { bytes: end - start + 1, sha256: hash.digest("hex"), open: () => createReadStream(path, { start, end }) };
}

async function complete(send: Send, upload: Upload & { readonly etags: readonly string[] }): Promise<void> {
  const { key, uploadId, file, etags } = upload;
  const parts = etags.map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>"${etag}"</ETag></Part>`);
  const text = Buffer.from(
    `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join("")}</CompleteMultipartUpload>`,
  );
  const body = { bytes: text.length, sha256: createHash("sha256").update(text).digest("hex"), open: () => text };
  const reply = await send({ method: "POST", key, query: { uploadId }, body });
  // Not there any more: a try before this one completed it, and its answer was lost. The size tells.
  if (reply.statusCode === 404) await readText(reply);
  else await readSuccess(reply);
  const stored = await send({ method: "HEAD", key });
  await stored.body.dump();
  if (stored.statusCode !== 200) throw toFault(stored, "");
  if (Number(stored.headers["content-length"]) !== file.bytes) throw new StoreFault("a file of another size");
}

/** Gives an upload in parts up. */
export async function abandon(send: Send, key: string, uploadId: string): Promise<void> {
  const reply = await send({ method: "DELETE", key, query: { uploadId } });
  if (reply.statusCode === 404) await readText(reply);
  else await readSuccess(reply);
}
