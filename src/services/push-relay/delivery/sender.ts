import { randomUUID } from "node:crypto";
import { Pool } from "undici";
import { formatDateTime } from "#platform/contract/times.ts";
import { type ConnectorOptions, openConnector } from "#platform/outbound/connector.ts";
import { type Answer, sendOnce } from "#platform/outbound/send.ts";
import { readKey, sign, signedHeaders, toTimestamp } from "#platform/outbound/signature.ts";
import type { Tracer } from "#platform/tracing/otlp.ts";
import { tracer } from "#platform/tracing/tracer.ts";
import { writers } from "#services/push-relay/forms.ts";
import type { Forwarded } from "#services/push-relay/sealed.ts";
import { masked } from "./exchange-store.ts";
import type { Target } from "./queue-store.ts";

export interface Sender {
  readonly target: Target;
  /** Never rejects; errors are in the answer. */
  send(publicId: string, forwarded: Forwarded<Buffer>, atMs: number): Promise<Answer>;
  destroy(): void;
  /** Closes the connections after the pushes in flight have finished. */
  close(): void;
}

export interface SenderOptions extends ConnectorOptions {
  readonly connections: number;
}

/**
 * An idle connection is closed after this time. Many receivers silently close idle connections after two seconds, and a
 * push at that moment would count as failed. A busy project uses its connections again sooner.
 */
const idleMs = 1000;
const mostHeadBytes = 16 * 1024;
const agent = "Quintet";
const otherCode = "the code in the response is not 0";

export const describeHeaders = (publicId: string, contentType: string, at: Date): Record<string, string> => ({
  "content-type": contentType,
  "user-agent": agent,
  "webhook-id": publicId,
  "webhook-timestamp": toTimestamp(at.getTime()),
  "webhook-signature": `v1,${masked}`,
});

export function openSender(target: Target, options: SenderOptions): Sender {
  const { origin, pathname, search } = new URL(target.url);
  const pool = new Pool(origin, {
    connections: options.connections,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    maxHeaderSize: mostHeadBytes,
    connect: openConnector(options),
  });
  const key = readKey(target.secret);
  const oldKey = target.oldSecret === null ? undefined : readKey(target.oldSecret);
  const oldUntilMs = target.oldSecretUntil?.getTime() ?? 0;
  const path = pathname + search;
  const send: Sender["send"] = (publicId, { form, contentType, body }, atMs) => {
    const keys = oldKey && atMs < oldUntilMs ? [key, oldKey] : [key];
    const signed = sign(publicId, body, keys, atMs);
    const headers = ["content-type", contentType, "user-agent", agent];
    for (const name of signedHeaders) headers.push(name, signed[name]);
    const posting = sendOnce(pool, { method: "POST", path, headers, body, timeoutMs: options.timeoutMs });
    const answered = tracer ? tracePush(tracer, target, posting) : posting;
    const { isRefusal } = writers[form];
    return isRefusal ? answered.then((answer) => noteRefusal(answer, isRefusal)) : answered;
  };
  const ignore = () => undefined;
  return {
    target,
    send,
    destroy: () => void pool.destroy().catch(ignore),
    close: () => void pool.close().catch(ignore),
  };
}

function noteRefusal(answer: Answer, isRefusal: (answer: string) => boolean): Answer {
  const isRefused = answer.error === null && isRefusal(Buffer.concat(answer.response?.body ?? []).toString());
  return isRefused ? { ...answer, error: otherCode } : answer;
}

/** The trace context is not sent, since the receiver belongs to another system. */
async function tracePush(taken: Tracer, { projectId }: Target, posting: Promise<Answer>): Promise<Answer> {
  const facts = { "http.request.method": "POST", "quintet.project_id": projectId };
  const span = taken.begin({ kind: "client", name: "POST push", facts });
  const answer = await posting;
  const { statusCode, error } = answer;
  if (statusCode !== null) span.note({ "http.response.status_code": statusCode });
  span.end(error === null ? undefined : (statusCode ?? "no response").toString());
  return answer;
}

export async function sendTest(sender: Sender, nowMs: () => number, timeZone: string) {
  const id = randomUUID();
  const [atMs, startedMs] = [nowMs(), performance.now()];
  const receivedTime = formatDateTime(new Date(atMs), timeZone);
  const body = Buffer.from(JSON.stringify({ id, event: "test", school_code: "", data: {}, receivedTime }));
  const { statusCode, error } = await sender.send(
    id,
    { form: "json", contentType: writers.json.contentType, body },
    atMs,
  );
  sender.close();
  return { statusCode, durationMs: Math.round(performance.now() - startedMs), error };
}
