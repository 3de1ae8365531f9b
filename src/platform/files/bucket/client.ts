import { setTimeout as delay } from "node:timers/promises";
import { S3mini, S3ServiceError } from "s3mini";
import { Agent, fetch as fetchThrough } from "undici";
import { Problem } from "#platform/contract/problem.ts";
import { traced } from "#platform/tracing/tracer.ts";
import type { Bucket } from "./settings.ts";

/** The file store failed. The reason `why` is logged, so it must contain no key. */
export class StorageError extends Problem {
  constructor(why: string, cause?: unknown) {
    const detail = {
      zh: "文件存储服务暂时不可用，请稍后再试",
      en: "the file store is temporarily unavailable; try again later",
    };
    super("outsideFailed", { detail, why: `file store: ${why}` });
    this.cause = cause;
  }
}

const firstPauseMs = 100;
const maxConnectMs = 3000;
/** For each further 8 MiB of a request body, the time limit grows by `timeoutMs`. */
const bytesPerTimeout = 8 * 1024 ** 2;

/**
 * Opens a client that uses path-style addresses, which every compatible store supports, and follows no redirects.
 * @param timeoutMs the time limit until the response headers, including retries; for a request body, it applies to each
 * started 8 MiB
 */
export function openClient(bucket: Bucket, { timeoutMs = bucket.timeoutMs, tries = 4 } = {}): S3mini {
  const dispatcher = new Agent({
    connect: { timeout: Math.min(maxConnectMs, timeoutMs) },
    headersTimeout: 0,
    // The time between two chunks of a response body; waiting for a slow reader does not count.
    bodyTimeout: bucket.timeoutMs,
  });
  return new S3mini({
    endpoint: `${bucket.endpoint}/${bucket.bucket}`,
    region: bucket.region,
    accessKeyId: bucket.accessKey,
    secretAccessKey: bucket.secretKey,
    fetch: async (address, init = {}) => {
      const timeout = new AbortController();
      const { method = "", body } = init;
      const timeoutCount = body instanceof Blob ? Math.ceil(body.size / bytesPerTimeout) : 1;
      const timer = setTimeout(
        () => timeout.abort(new StorageError("no response in time")),
        timeoutMs * Math.max(1, timeoutCount),
      );
      const request = { ...init, signal: timeout.signal, dispatcher, redirect: "manual" } as never;
      const attempt = (): Promise<Response> =>
        traced({ kind: "client", name: `${method} bucket`, facts: { "http.request.method": method } }, async (span) => {
          const response: Response = await fetchThrough(address, request);
          span?.note({ "http.response.status_code": response.status });
          return response;
        });
      return fetchUntil(timeout.signal, tries, attempt).finally(() => clearTimeout(timer));
    },
  });
}

async function fetchUntil(signal: AbortSignal, tries: number, attempt: () => Promise<Response>): Promise<Response> {
  for (let tried = 1; ; tried++) {
    const outcome = await attempt().catch((error: unknown) => error as Error);
    const answered = !(outcome instanceof Error);
    if (answered && outcome.status < 500 && outcome.status !== 429) return outcome;
    if (answered) await outcome.body?.cancel().catch(() => undefined);
    if (signal.aborted) throw signal.reason;
    if (tried === tries)
      throw answered ? new StorageError(`status ${outcome.status}`) : new StorageError("no connection", outcome);
    await delay(firstPauseMs * 2 ** (tried - 1) * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) throw signal.reason;
  }
}

export function findServiceError(error: unknown): S3ServiceError | undefined {
  if (error instanceof S3ServiceError) return error;
  return error instanceof Error ? findServiceError(error.cause) : undefined;
}

export const codeOf = ({ body = "" }: S3ServiceError): string =>
  /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(body)?.[1] ?? "";

export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const refusal = findServiceError(error);
  return refusal
    ? new StorageError(`status ${refusal.status} ${codeOf(refusal)}`)
    : new StorageError("invalid response", error);
}
