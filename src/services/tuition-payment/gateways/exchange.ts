import { describeFailure, readBounded } from "#platform/messaging/http.ts";
import { traced } from "#platform/tracing/tracer.ts";
import { GatewayError, type CallOptions, type GatewayName } from "./gateway.ts";

/** The largest genuine answer but a statement is below 16 KiB. */
const mostAnswerBytes = 256 * 1024;
/** Some 300,000 rows of the widest statement, in one day. */
export const mostStatementBytes = 128 * 1024 * 1024;

export interface Exchange {
  readonly gateway: GatewayName;
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly timeoutMs: number;
  readonly mostBytes?: number;
  readonly options: CallOptions | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/**
 * Sends one request and reads the whole answer, whatever its status. Nothing is retried here, and no redirect followed:
 * what is signed for one host is for no other.
 * @throws GatewayError `unknown` when there is no whole answer in time.
 */
export const exchange = (request: Exchange): Promise<Answer> => {
  const { gateway, url, method } = request;
  const facts = { "http.request.method": method, "server.address": url.hostname };
  return traced({ kind: "client", name: `${method} ${gateway}`, facts }, async (span) => {
    const answer = await send(request);
    span?.note({ "http.response.status_code": answer.status });
    return answer;
  });
};

async function send(request: Exchange): Promise<Answer> {
  const { gateway, url, method, headers = {}, body, timeoutMs, mostBytes = mostAnswerBytes, options } = request;
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = options?.signal ? AbortSignal.any([limit, options.signal]) : limit;
  try {
    const response = await fetch(url, { method, headers, body: body ?? null, redirect: "error", signal });
    const bytes = await readBounded(response, mostBytes);
    if (bytes === null) throw new GatewayError(gateway, "unknown", `an answer of more than ${mostBytes} bytes`);
    return { status: response.status, headers: response.headers, bytes };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const reason = options?.signal?.aborted ? "the call was given up" : describeFailure(error, timeoutMs);
    throw new GatewayError(gateway, "unknown", reason);
  }
}
