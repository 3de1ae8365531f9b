import type { IncomingHttpHeaders } from "node:http";
import { Agent } from "undici";
import { traced } from "#platform/tracing/tracer.ts";
import { openAddressRule } from "./addresses.ts";
import { openConnector } from "./connector.ts";
import { resolveName } from "./names.ts";
import { type Answer, type Outgoing, sendOnce } from "./send.ts";

export interface OutboundRequest extends Pick<Outgoing, "timeoutMs" | "signal"> {
  /** Who is asked, in a word: the span is called by it. */
  readonly whom: string;
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
}

export interface WholeRequest extends OutboundRequest {
  readonly mostBytes: number;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** There was no whole answer in time. The message is a failure's word, and may be logged. */
export class OutboundFailure extends Error {}

/**
 * Sends one request to an address of the settings and reads the answer to its end, whatever its status. No redirect is
 * followed: a secret or a signature is for no other host. @throws {OutboundFailure}
 */
export async function request(asked: WholeRequest): Promise<WholeAnswer> {
  const { statusCode, response, error } = await send(asked, everyNetwork, asked.mostBytes);
  if (statusCode === null || response === null) throw new OutboundFailure(error ?? "no usable answer");
  return { status: statusCode, headers: response.headers, body: Buffer.concat(response.body) };
}

/** Sends one request to an address that somebody has named, where it lies in an allowed network; never throws. */
export const requestNamed = (asked: OutboundRequest, allowedNetworks: readonly string[]): Promise<Answer> =>
  send(asked, allowedNetworks);

/** Appends a path to a base address that may carry a path prefix of its own, such as `/kong`. */
export function joinUrl(baseUrl: string, path: string, query: Record<string, string> = {}): URL {
  const url = new URL(baseUrl.replace(/\/+$/, "") + path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

// What operators set may stand in any network but those of the machine, the link and the metadata services.
const everyNetwork = ["0.0.0.0/0", "::/0"];
const connectMs = 10_000;
// Many receivers close an idle connection after two seconds and do not say so.
const idleMs = 1000;
const mostHeadBytes = 16 * 1024;
const usualHeaders = { accept: "*/*", "user-agent": "Quintet" };
const agents = new Map<string, Agent>();

function send(asked: OutboundRequest, networks: readonly string[], wholeBytes?: number): Promise<Answer> {
  const { whom, url, method, headers, body = null, timeoutMs, signal } = asked;
  const outgoing: Outgoing = {
    origin: url.origin,
    method,
    path: url.pathname + url.search,
    headers: Object.entries({ ...usualHeaders, ...headers }).flat(),
    body,
    timeoutMs,
    signal,
    ...(wholeBytes !== undefined && { wholeBytes }),
  };
  // The host is an operator's word; path and query can hold secrets.
  const facts = { "http.request.method": method, "server.address": url.hostname };
  return traced({ kind: "client", name: `${method} ${whom}`, facts }, async (span) => {
    const answer = await sendOnce(agentFor(networks), outgoing);
    if (answer.statusCode !== null) span?.note({ "http.response.status_code": answer.statusCode });
    return answer;
  });
}

/** One for each set of networks, of which the settings name few. */
function agentFor(networks: readonly string[]): Agent {
  const key = networks.join();
  const known = agents.get(key);
  if (known) return known;
  const agent = new Agent({
    connect: openConnector({ isAllowed: openAddressRule(networks), resolve: resolveName, timeoutMs: connectMs }),
    keepAliveTimeout: idleMs,
    maxHeaderSize: mostHeadBytes,
  });
  agents.set(key, agent);
  return agent;
}
