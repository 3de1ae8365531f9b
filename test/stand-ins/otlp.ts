import { EventEmitter, once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { openLocalServer } from "#demo/local-server.ts";

// An OpenTelemetry collector that takes OTLP JSON over HTTP and rejects batches that do not match its schema.

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly failed: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  readonly resource: Readonly<Record<string, unknown>>;
  readonly raw: string;
  readonly headers: IncomingHttpHeaders;
  until(holds: (span: CollectedSpan) => boolean): Promise<void>;
  fallSilent(): void;
  readonly close: () => Promise<void>;
}

const attributes = z.array(
  z.object({
    key: z.string().min(1),
    value: z.union([
      z.strictObject({ stringValue: z.string() }),
      z.strictObject({ intValue: z.union([z.int(), z.string()]) }),
      z.strictObject({ doubleValue: z.number() }),
      z.strictObject({ boolValue: z.boolean() }),
      z.strictObject({ arrayValue: z.unknown() }),
    ]),
  }),
);
const id = (digits: number) => z.string().regex(new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`));
const nanoseconds = z.string().regex(/^\d{19}$/);
const span = z.object({
  traceId: id(32),
  spanId: id(16),
  parentSpanId: id(16).optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  status: z.object({ code: z.int().min(0).max(2), message: z.string().optional() }),
});
const batch = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(z.object({ scope: z.object({ name: z.string() }), spans: z.array(span) })),
    }),
  ),
});

const toFacts = (list: z.output<typeof attributes>): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));

const toCollected = (one: z.output<typeof span>): CollectedSpan => ({
  traceId: one.traceId,
  spanId: one.spanId,
  parentSpanId: one.parentSpanId ?? "",
  name: one.name,
  kind: one.kind,
  failed: one.status.code === 2,
  facts: toFacts(one.attributes),
});

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  let [raw, refused, isSilent] = ["", "", false];
  let resource: Record<string, unknown> = {};
  let headers: IncomingHttpHeaders = {};
  const arrivals = new EventEmitter();
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    if (isSilent) return;
    headers = request.headers;
    raw += body;
    const isRight = request.method === "POST" && request.url === "/v1/traces";
    const { success, data, error } = batch.safeParse(isRight ? JSON.parse(body) : undefined);
    response.writeHead(success ? 200 : 400, { "content-type": "application/json" }).end("{}");
    if (error) refused = `${request.method} ${request.url} ${error.message}`;
    for (const { resource: of, scopeSpans } of data?.resourceSpans ?? []) {
      resource = toFacts(of.attributes);
      spans.push(...scopeSpans.flatMap((scope) => scope.spans).map(toCollected));
    }
    arrivals.emit("batch");
  };
  const server = await openLocalServer((request, response) => void take(request, response));
  return {
    ...server,
    spans,
    get resource() {
      return resource;
    },
    get raw() {
      return raw;
    },
    get headers() {
      return headers;
    },
    async until(holds) {
      const late = AbortSignal.timeout(60_000);
      while (!spans.some(holds)) {
        if (refused !== "") throw new Error(refused);
        await once(arrivals, "batch", { signal: late });
      }
    },
    fallSilent: () => void (isSilent = true),
  };
}
