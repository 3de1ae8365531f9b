import type { IncomingHttpHeaders } from "node:http";
import { Agent } from "undici";
import { traced } from "#platform/tracing/tracer.ts";
import { openAddressRule } from "./addresses.ts";
import { openConnector, resolveName } from "./connector.ts";
import { sendOnce } from "./send.ts";

export interface WholeRequest {
  /** Who is asked, in a word: the span is called by it. */
  readonly whom: string;
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  /** For all of it: the connection, the request, the answer to its end. */
  readonly timeoutMs: number;
  readonly mostBytes: number;
  /** To a server that knows TLS renegotiation only in its unsafe form. */
  readonly allowsLegacyTls?: boolean | undefined;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** There was no whole answer in time. The message is a failure's word, and may be logged. */
export class OutboundFailure extends Error {
  /** Whether all of the request may have been sent before it failed. */
  get mayHaveArrived(): boolean {
    return !/^(?:the address is not allowed|no connection in time|no connection, (?!ECONNRESET|EPIPE|UND_))/.test(
      this.message,
    );
  }
}

const connectMs = 10_000;
// Many receivers close an idle connection after two seconds and do not say so.
const idleMs = 1000;
const usualHeaders = { accept: "*/*", "user-agent": "Quintet" };

// What operators set may stand in any network but those of the machine, the link and the metadata services.
const isAllowed = openAddressRule(["0.0.0.0/0", "::/0"]);
const openAgent = (allowsLegacyTls: boolean): Agent =>
  new Agent({
    connect: openConnector({ isAllowed, resolve: resolveName, timeoutMs: connectMs, allowsLegacyTls }),
    keepAliveTimeout: idleMs,
  });
const agent = openAgent(false);
const legacyAgent = openAgent(true);

/**
 * Sends one request to an address of the settings and reads the answer to its end, whatever its status. No redirect is
 * followed: a secret or a signature is for no other host. @throws {OutboundFailure}
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
  // The host is an operator's word; path and query can hold secrets.
  const facts = { "http.request.method": method, "server.address": url.hostname };
  return traced({ kind: "client", name: `${method} ${whom}`, facts }, async (span) => {
    const { statusCode, response, error } = await sendOnce(allowsLegacyTls ? legacyAgent : agent, outgoing);
    if (statusCode === null || response === null) throw new OutboundFailure(error ?? "no usable answer");
    span?.note({ "http.response.status_code": statusCode });
    return { status: statusCode, headers: response.headers, body: Buffer.concat(response.body) };
  });
}

/** Appends a path to a base address that may carry a path prefix of its own, such as `/kong`. */
export function joinUrl(baseUrl: string, path: string, query: Record<string, string> = {}): URL {
  const url = new URL(baseUrl.replace(/\/+$/, "") + path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}
