import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { Agent, type Dispatcher, request } from "undici";
import { Problem } from "#platform/contract/problem.ts";
import { traced } from "#platform/tracing/tracer.ts";
import type { Bucket } from "./settings.ts";

export interface CallBody {
  readonly bytes: number;
  /** In hexadecimal digits; the store refuses a body that is another. */
  readonly sha256: string;
  /** Once for each try. */
  open(): Readable | Buffer;
}

export interface Call {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Below the bucket; left out, the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: CallBody;
  /** In place of the bucket's own, and one try alone. */
  readonly timeoutMs?: number;
}

export type Reply = Dispatcher.ResponseData;

/** Sends a call, again where that may help, and returns once the head of its answer is here. Its body is to be read or dumped. */
export type Send = (call: Call) => Promise<Reply>;

/** A store that does not answer, or not as it should. `why` goes to the log, and names no key. */
export class StoreFault extends Problem {
  constructor(why: string, cause?: unknown) {
    const detail = {
      zh: "文件存储服务暂时不可用，请稍后再试",
      en: "the file store does not answer as it should: try again later",
    };
    super("outsideFailed", { detail, why: `file store: ${why}` });
    this.cause = cause;
  }
}

const mostTries = 4;
const firstPauseMs = 100;
const mostConnectMs = 3000;
const emptySha256 = createHash("sha256").digest("hex");

/** Calls to a bucket, addressed by path, which every compatible store understands. No redirect is followed. */
export function openExchange(bucket: Bucket): Send {
  const dispatcher = new Agent({
    connect: { timeout: Math.min(mostConnectMs, bucket.timeoutMs) },
    headersTimeout: 0,
    // Between two pieces of a body. Whoever reads slowly is not the store's fault: it does not count then.
    bodyTimeout: bucket.timeoutMs,
  });
  const signingKeys = new Map<string, ArrayBuffer>();
  return async (call) => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new StoreFault("no answer in time")), call.timeoutMs ?? bucket.timeoutMs);
    try {
      return await sendUntil(late.signal, call, () => sendTraced(bucket, call, { dispatcher, signingKeys, late }));
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Tries until there is an answer that another try would not better, the time is up, or it was tried often enough. */
async function sendUntil(signal: AbortSignal, call: Call, attempt: () => Promise<Reply>): Promise<Reply> {
  const tries = call.timeoutMs === undefined ? mostTries : 1;
  for (let tried = 1; ; tried++) {
    const outcome = await attempt().catch((error: unknown) => error as Error);
    if (!(outcome instanceof Error) && outcome.statusCode < 500 && outcome.statusCode !== 429) return outcome;
    if (!(outcome instanceof Error)) await outcome.body.dump().catch(() => undefined);
    if (signal.aborted) throw signal.reason;
    if (tried === tries)
      throw outcome instanceof Error
        ? new StoreFault("no connection", outcome)
        : new StoreFault(`status ${outcome.statusCode}`);
    await delay(firstPauseMs * 2 ** (tried - 1) * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) throw signal.reason;
  }
}

interface Line {
  readonly dispatcher: Dispatcher;
  readonly signingKeys: Map<string, ArrayBuffer>;
  readonly late: AbortController;
}

/** Each try is a span of its own, and ends with the head of the answer. */
const sendTraced = (bucket: Bucket, call: Call, line: Line): Promise<Reply> =>
  traced(
    { kind: "client", name: `${call.method} bucket`, facts: { "http.request.method": call.method } },
    async (span) => {
      const reply = await sendOnce(bucket, call, line);
      span?.note({ "http.response.status_code": reply.statusCode });
      return reply;
    },
  );

async function sendOnce(bucket: Bucket, call: Call, { dispatcher, signingKeys, late }: Line): Promise<Reply> {
  const { method, key, query = {}, body } = call;
  const url = new URL(`${bucket.endpoint}/${bucket.bucket}${key === undefined ? "" : `/${key}`}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: { ...call.headers, "x-amz-content-sha256": body?.sha256 ?? emptySha256 },
    accessKeyId: bucket.accessKey,
    secretAccessKey: bucket.secretKey,
    region: bucket.region,
    service: "s3",
    cache: signingKeys,
  });
  const signed = await signer.sign();
  const length = method === "PUT" || method === "POST" ? { "content-length": String(body?.bytes ?? 0) } : {};
  return await request(signed.url, {
    method,
    dispatcher,
    headers: { ...Object.fromEntries(signed.headers), ...length },
    body: body?.open() ?? null,
    signal: late.signal,
  });
}
