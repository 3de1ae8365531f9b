import { createHash } from "node:crypto";
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

const md5 = (data: Buffer): string => createHash("md5").update(data).digest("hex");
const ok = (headers: Record<string, string> = {}, body: string | Buffer = "", status = 200): S3Answer => ({
  status,
  headers: { "content-length": String(Buffer.byteLength(body)), ...headers },
  body: Buffer.from(body),
});
const xml = (text: string): S3Answer => ok({ "content-type": "application/xml" }, `<?xml version="1.0"?>${text}`);

const readChecksum = ({ "x-amz-meta-sha256": sha256 }: IncomingHttpHeaders): string | undefined => [sha256].flat()[0];

type Outcome = S3Answer | S3Refusal;

/** The objects of an S3 bucket with path-style addresses; lists have pages of `pageSize`. */
export class S3Books {
  readonly objects = new Map<string, StoredObject>();
  isGone = false;
  readonly #bucket: string;
  readonly #pageSize: number;

  constructor(bucket: string, pageSize = 3) {
    this.#bucket = bucket;
    this.#pageSize = pageSize;
  }

  answer(request: S3Request): Outcome {
    const { pathname } = request.url;
    const [, name, key = ""] = /^\/([^/]+)(?:\/(.*))?$/.exec(decodeURIComponent(pathname)) ?? [];
    if (name !== this.#bucket || this.isGone) return new S3Refusal(404, "NoSuchBucket");
    if (key === "") return this.#answerBucket(request);
    return this.#answerObject(key, request);
  }

  #answerBucket({ method, url: { searchParams } }: S3Request): Outcome {
    const prefix = searchParams.get("prefix") ?? "";
    if (method === "HEAD") return ok();
    if (method === "GET" && searchParams.get("list-type") === "2")
      return this.#list(prefix, searchParams.get("continuation-token") ?? "");
    return new S3Refusal(405, "MethodNotAllowed");
  }

  #answerObject(key: string, request: S3Request): Outcome {
    const { method } = request;
    if (method === "GET" || method === "HEAD") return this.#get(key);
    if (method === "PUT") return this.#put(key, request);
    if (method !== "DELETE") return new S3Refusal(405, "MethodNotAllowed");
    this.objects.delete(key);
    return ok({}, "", 204);
  }

  #get(key: string): Outcome {
    const found = this.objects.get(key);
    if (!found) return new S3Refusal(404, "NoSuchKey");
    const meta = found.sha256 === undefined ? {} : { "x-amz-meta-sha256": found.sha256 };
    return ok({ etag: found.etag, "last-modified": found.modified.toUTCString(), ...meta }, found.body);
  }

  #put(key: string, { headers, body }: S3Request): S3Answer {
    const etag = `"${md5(body)}"`;
    this.objects.set(key, { body, etag, sha256: readChecksum(headers), modified: new Date() });
    return ok({ etag });
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
}
