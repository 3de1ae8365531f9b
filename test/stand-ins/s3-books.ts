import { createHash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export interface S3Request {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface S3Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

export class S3Refusal {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    this.status = status;
    this.code = code;
  }
}

export interface StoredObject {
  body: Buffer;
  etag: string;
  sha256: string | undefined;
  modified: Date;
}

export interface UnfinishedUpload {
  readonly key: string;
  readonly sha256: string | undefined;
  begun: Date;
  readonly parts: Map<number, Buffer>;
}

const leastPartBytes = 5 * 1024 ** 2;
const md5 = (data: Buffer): string => createHash("md5").update(data).digest("hex");
const ok = (headers: Record<string, string> = {}, body: string | Buffer = "", status = 200): S3Answer => ({
  status,
  headers: { "content-length": String(Buffer.byteLength(body)), ...headers },
  body: Buffer.from(body),
});
const xml = (text: string): S3Answer => ok({ "content-type": "application/xml" }, `<?xml version="1.0"?>${text}`);

const readChecksum = ({ "x-amz-meta-sha256": sha256 }: IncomingHttpHeaders): string | undefined => [sha256].flat()[0];

type Outcome = S3Answer | S3Refusal;

/** The books of one bucket, addressed by path. Lists have pages of `pageSize`. */
export class S3Books {
  readonly objects = new Map<string, StoredObject>();
  /** Uploads in parts that are neither completed nor given up, by their ids. */
  readonly unfinished = new Map<string, UnfinishedUpload>();
  /** The bucket itself is not there. */
  isGone = false;
  /** A part that was taken is not there any more when the whole is put together. */
  lostPart: number | undefined;
  readonly #bucket: string;
  readonly #pageSize: number;

  constructor(bucket: string, pageSize = 3) {
    this.#bucket = bucket;
    this.#pageSize = pageSize;
  }

  answer(request: S3Request): Outcome {
    const { pathname, searchParams } = request.url;
    const [, name, key = ""] = /^\/([^/]+)(?:\/(.*))?$/.exec(decodeURIComponent(pathname)) ?? [];
    if (name !== this.#bucket || this.isGone) return new S3Refusal(404, "NoSuchBucket");
    if (key === "") return this.#answerBucket(request);
    const id = searchParams.get("uploadId");
    return id === null ? this.#answerObject(key, request) : this.#answerUpload(key, id, request);
  }

  #answerBucket({ method, url: { searchParams } }: S3Request): Outcome {
    const prefix = searchParams.get("prefix") ?? "";
    if (method === "HEAD") return ok();
    if (method === "GET" && searchParams.has("uploads")) return this.#listUnfinished(prefix);
    if (method === "GET" && searchParams.get("list-type") === "2")
      return this.#list(prefix, searchParams.get("continuation-token") ?? "");
    return new S3Refusal(405, "MethodNotAllowed");
  }

  #answerObject(key: string, request: S3Request): Outcome {
    const { method, url } = request;
    if (method === "GET" || method === "HEAD") return this.#get(key, request);
    if (method === "PUT") return this.#put(key, request);
    if (method === "POST" && url.searchParams.has("uploads")) return this.#begin(key, request);
    if (method !== "DELETE") return new S3Refusal(405, "MethodNotAllowed");
    this.objects.delete(key);
    return ok({}, "", 204);
  }

  #answerUpload(key: string, id: string, { method, url, body }: S3Request): Outcome {
    const upload = this.unfinished.get(id);
    if (upload?.key !== key) return new S3Refusal(404, "NoSuchUpload");
    if (method === "PUT") {
      upload.parts.set(Number(url.searchParams.get("partNumber")), body);
      return ok({ etag: `"${md5(body)}"` });
    }
    if (method === "POST") return this.#complete(id, upload, body.toString());
    if (method !== "DELETE") return new S3Refusal(405, "MethodNotAllowed");
    this.unfinished.delete(id);
    return ok({}, "", 204);
  }

  #get(key: string, { url }: S3Request): Outcome {
    const found = this.objects.get(key);
    if (!found) return new S3Refusal(404, "NoSuchKey");
    const meta = found.sha256 === undefined ? {} : { "x-amz-meta-sha256": found.sha256 };
    const asked = [...url.searchParams].flatMap(([name, value]) =>
      name.startsWith("response-") ? [[name.slice("response-".length), value] as const] : [],
    );
    const common = {
      etag: found.etag,
      "last-modified": found.modified.toUTCString(),
      ...meta,
      ...Object.fromEntries(asked),
    };
    return ok(common, found.body);
  }

  #put(key: string, { headers, body }: S3Request): S3Answer {
    const etag = `"${md5(body)}"`;
    this.objects.set(key, { body, etag, sha256: readChecksum(headers), modified: new Date() });
    return ok({ etag });
  }

  #begin(key: string, { headers }: S3Request): S3Answer {
    const id = randomBytes(8).toString("hex");
    this.unfinished.set(id, { key, sha256: readChecksum(headers), begun: new Date(), parts: new Map() });
    return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  }

  #complete(id: string, { key, sha256, parts, begun }: UnfinishedUpload, text: string): Outcome {
    if (this.lostPart !== undefined) parts.delete(this.lostPart);
    this.lostPart = undefined;
    const named = [...text.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>"?(\w+)"?<\/ETag>/g)];
    const pieces = named.map(([, number]) => parts.get(Number(number)) ?? Buffer.alloc(0));
    if (pieces.length === 0 || pieces.some((piece, index) => md5(piece) !== named[index]?.[2]))
      return new S3Refusal(400, "InvalidPart");
    if (pieces.slice(0, -1).some((piece) => piece.length < leastPartBytes)) return new S3Refusal(400, "EntityTooSmall");
    const body = Buffer.concat(pieces);
    // As the first of them does it: the time of an object is that at which its upload began.
    this.objects.set(key, { body, etag: `"${md5(body)}-${pieces.length}"`, sha256, modified: begun });
    this.unfinished.delete(id);
    return xml("<CompleteMultipartUploadResult/>");
  }

  #list(prefix: string, after: string): S3Answer {
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted();
    const page = keys.slice(0, this.#pageSize);
    const timeOf = (key: string) => `<LastModified>${this.objects.get(key)?.modified.toISOString()}</LastModified>`;
    const entries = page.map((key) => `<Contents><Key>${key}</Key>${timeOf(key)}</Contents>`);
    const isCut = keys.length > page.length;
    const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
    return xml(`<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${next}${entries.join("")}</ListBucketResult>`);
  }

  #listUnfinished(prefix: string): S3Answer {
    const entries = [...this.unfinished]
      .filter(([, { key }]) => key.startsWith(prefix))
      .map(([id, { key, begun }]) => {
        const time = `<Initiated>${begun.toISOString()}</Initiated>`;
        return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId>${time}</Upload>`;
      });
    return xml(`<ListMultipartUploadsResult>${entries.join("")}</ListMultipartUploadsResult>`);
  }
}
