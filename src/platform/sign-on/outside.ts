import { Agent, fetch as fetchThrough } from "undici";
import { openAddressRule } from "#platform/outbound/addresses.ts";
import { openConnector } from "#platform/outbound/connector.ts";
import { resolveName } from "#platform/outbound/names.ts";
import { traced } from "#platform/tracing/tracer.ts";
import { SignOnFailure } from "./provider.ts";

// The largest genuine answer, the keys of a provider with many certificates, has some 30 KiB.
const mostAnswerBytes = 256 * 1024;

export interface OutsideRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
}

/** Asks a provider; an answer is read to its end before it is given. @throws {SignOnFailure} unreachable. */
export type AskProvider = (url: string, request: OutsideRequest) => Promise<Response>;

// A provider stands in a campus network as often as not. Link-local and metadata addresses stay refused.
const isAllowed = openAddressRule(["0.0.0.0/0", "::/0"]);

/**
 * A door to the providers: one time limit for the whole exchange, a bound to the answer, no redirects, since a code or a
 * secret must not follow one. Those who ask for the same at the same time share the answer.
 */
export function openProviderDoor(timeoutMs: number): AskProvider {
  const connect = openConnector({ isAllowed, resolve: resolveName, timeoutMs });
  const dispatcher = new Agent({ connect, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  const underWay = new Map<string, Promise<Exchanged>>();
  const askOnce = (url: string, request: OutsideRequest) => exchange(url, request, { dispatcher, timeoutMs });
  return async (url, request) => {
    if (request.method !== "GET") return toResponse(await askOnce(url, request));
    const key = JSON.stringify([url, request.headers]);
    const question = underWay.get(key) ?? askOnce(url, request).finally(() => underWay.delete(key));
    underWay.set(key, question);
    return toResponse(await question);
  };
}

interface Exchanged {
  readonly status: number;
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

const toResponse = ({ status, type, body }: Exchanged): Response =>
  new Response(body.length === 0 ? null : body, { status, headers: { "content-type": type } });

interface Means {
  readonly dispatcher: Agent;
  readonly timeoutMs: number;
}

async function exchange(url: string, request: OutsideRequest, { dispatcher, timeoutMs }: Means): Promise<Exchanged> {
  const facts = { "http.request.method": request.method, "server.address": new URL(url).hostname };
  return traced({ kind: "client", name: `${request.method} sign-on`, facts }, async (span) => {
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const { method, headers, body = null } = request;
      const answer = await fetchThrough(url, { method, headers, body, redirect: "manual", signal, dispatcher });
      span?.note({ "http.response.status_code": answer.status });
      const type = answer.headers.get("content-type") ?? "";
      return { status: answer.status, type, body: await readAll(answer.body) };
    } catch (error) {
      throw error instanceof SignOnFailure ? error : new SignOnFailure("unreachable", describeError(error, timeoutMs));
    }
  });
}

async function readAll(body: AsyncIterable<Uint8Array> | null): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostAnswerBytes)
      throw new SignOnFailure("unreachable", `an answer of more than ${mostAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** The failure's own name is kept, its text is not: it can hold the whole address. */
function describeError(error: unknown, timeoutMs: number): string {
  if (error instanceof DOMException && error.name === "TimeoutError") return `no answer within ${timeoutMs} ms`;
  const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return typeof code === "string" && /^[A-Z0-9_]{3,40}$/.test(code) ? `no connection, ${code}` : "no usable connection";
}
