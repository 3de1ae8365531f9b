import { z } from "zod";
import { type Doing, traced } from "#platform/tracing/tracer.ts";
import { OutsideError } from "./outside-error.ts";
import type { OutsideService } from "./outside-error.ts";

/** The largest genuine answer is below 4 KiB; more means that something else answered. */
export const maxAnswerBytes = 64 * 1024;

export type OutsideRequest<Answer> = {
  service: OutsideService;
  url: URL;
  /** Sent as a JSON POST; without it the request is a GET. */
  body?: object | undefined;
  /** For the whole exchange, the body of the answer included. */
  timeoutMs: number;
  answer: z.ZodType<Answer>;
  /** What a non-zero errcode means for this call. */
  toError: (errcode: number, errmsg: string) => OutsideError;
};

const outcome = z.object({
  // Some private deployments send the number as text.
  errcode: z
    .union([
      z.number().int(),
      z
        .string()
        .regex(/^-?\d+$/)
        .transform(Number),
    ])
    .default(0),
  errmsg: z.string().catch(""),
});

/**
 * Sends one request and checks the answer. Nothing is retried here.
 * Redirects are refused: a secret in a query or a body must not follow one to another host.
 * @throws OutsideError for everything that is not a 2xx answer of the expected shape without an errcode.
 */
export async function requestJson<Answer>(request: OutsideRequest<Answer>): Promise<Answer> {
  const { status, retryAfterMs, text } = await traced(describeCall(request), async (span) => {
    const answer = await exchange(request);
    span?.note({ "http.response.status_code": answer.status });
    return answer;
  });
  const json = parseJson(text);
  const said = outcome.safeParse(json);
  if (said.success && said.data.errcode !== 0) throw request.toError(said.data.errcode, said.data.errmsg);
  // The platforms answer 200 even on failure, so any other status without an errcode comes from a machine in between.
  if (status < 200 || status > 299)
    throw unavailable(request, "an answer from something in between", { status, retryAfterMs });
  const parsed = request.answer.safeParse(json);
  if (!parsed.success) throw unavailable(request, "an answer that is not of the protocol");
  return parsed.data;
}

/** Appends a path to a base address that may carry a path prefix of its own, such as `/kong`. */
export function joinUrl(baseUrl: string, path: string, query: Record<string, string> = {}): URL {
  const url = new URL(baseUrl.replace(/\/+$/, "") + path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** The path is the protocol's; the query has secrets. */
const describeCall = ({ service, url, body }: Pick<OutsideRequest<unknown>, "service" | "url" | "body">): Doing => ({
  kind: "client",
  name: `${body === undefined ? "GET" : "POST"} ${service}`,
  facts: { "http.request.method": body === undefined ? "GET" : "POST", "server.address": url.hostname },
});

type Exchange = { status: number; retryAfterMs: number | undefined; text: string };

async function exchange<Answer>(request: OutsideRequest<Answer>): Promise<Exchange> {
  try {
    const response = await fetch(request.url, {
      ...(request.body === undefined ? {} : jsonPost(request.body)),
      redirect: "error",
      signal: AbortSignal.timeout(request.timeoutMs),
    });
    const bytes = await readBounded(response, maxAnswerBytes);
    if (bytes === null) throw unavailable(request, `an answer of more than ${maxAnswerBytes} bytes`);
    return { status: response.status, retryAfterMs: readRetryAfter(response), text: new TextDecoder().decode(bytes) };
  } catch (error) {
    if (error instanceof OutsideError) throw error;
    throw unavailable(request, describeFailure(error, request.timeoutMs));
  }
}

function jsonPost(body: object): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** The body of an answer; null when it is larger. */
export async function readBounded(response: Response, mostBytes: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Only the form in seconds: the date form needs clocks that agree, and neither platform is known to send it. */
function readRetryAfter(response: Response): number | undefined {
  const text = response.headers.get("retry-after");
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : undefined;
}

/** JSON sometimes arrives as text/plain, so the content type is not looked at. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A system's error name such as ECONNREFUSED is kept, its text is not: it can hold the whole address. */
export function describeFailure(error: unknown, timeoutMs: number): string {
  if (error instanceof DOMException && error.name === "TimeoutError") return `no answer within ${timeoutMs} ms`;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && /^[A-Z0-9_]{3,40}$/.test(code) ? `no connection, ${code}` : "no usable connection";
}

function unavailable(
  { service }: { service: OutsideService },
  reason: string,
  more: { status?: number; retryAfterMs?: number | undefined } = {},
): OutsideError {
  return new OutsideError(reason, { service, kind: "unavailable", retryable: true, ...more });
}
