import type { IncomingHttpHeaders } from "node:http";
import { Agent } from "undici";
import { traced } from "#platform/tracing/tracer.ts";
import { openAddressRule } from "./addresses.ts";
import { openConnector, resolveName } from "./connector.ts";
import { sendOnce } from "./send.ts";

export interface WholeRequest {
  readonly whom: string;
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  readonly timeoutMs: number;
  readonly mostBytes: number;
  readonly allowsLegacyTls?: boolean | undefined;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The message contains only our own words and error codes, so it can be logged. */
export class OutboundFailure extends Error {
  get mayHaveArrived(): boolean {
    return !/^(?:the address is not allowed|no connection in time|no connection, (?!ECONNRESET|EPIPE|UND_))/.test(
      this.message,
    );
  }
}

const connectMs = 10_000;
// Many servers close idle connections after two seconds without notice, so this process closes its idle connections
// after one second.
const idleMs = 1000;
const usualHeaders = { accept: "*/*", "user-agent": "Quintet" };

// Hosts from settings may be in any network, except for the addresses that are always refused.
const isAllowed = openAddressRule(["0.0.0.0/0", "::/0"]);
const openAgent = (allowsLegacyTls: boolean): Agent =>
  new Agent({
    connect: openConnector({ isAllowed, resolve: resolveName, timeoutMs: connectMs, allowsLegacyTls }),
    keepAliveTimeout: idleMs,
  });
const agent = openAgent(false);
const legacyAgent = openAgent(true);

/**
 * Sends a request and reads the whole answer, whatever its status. Redirects are not followed, because secrets in the
 * request are meant for this host only.
 * @throws {OutboundFailure}
 */
export function request(asked: WholeRequest): Promise<WholeAnswer> {
  const { whom, url, method, headers, body = null, timeoutMs, mostBytes: wholeBytes } = asked;
  const { allowsLegacyTls = false } = asked;
  const outgoing = {
    origin: url.origin,
    method,
    path: url.pathname + url.search,
    headers: Object.entries({ ...usualHeaders, ...headers }).flat(),
    body,
    timeoutMs,
    wholeBytes,
  };
  // The trace contains the host, which comes from a setting, but not the path and query, which may contain secrets.
  const facts = { "http.request.method": method, "server.address": url.hostname };
  return traced({ kind: "client", name: `${method} ${whom}`, facts }, async (span) => {
    const { statusCode, response, error } = await sendOnce(allowsLegacyTls ? legacyAgent : agent, outgoing);
    if (statusCode === null || response === null) throw new OutboundFailure(error ?? "invalid response");
    span?.note({ "http.response.status_code": statusCode });
    return { status: statusCode, headers: response.headers, body: Buffer.concat(response.body) };
  });
}

export function joinUrl(baseUrl: string, path: string, query: Record<string, string> = {}): URL {
  const url = new URL(baseUrl.replace(/\/+$/, "") + path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}
