import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as SdkTracer,
} from "@opentelemetry/api";
import { parseTraceParent, setGlobalErrorHandler } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { readHeaders, type TracingSettings } from "./settings.ts";

// This module is imported only if tracing is configured, since it takes about 10 MB of memory.

// At most this many spans wait to be sent; further spans are dropped. A span takes about 2 KB.
const mostWaiting = 4096;
const mostInBatch = 512;
const gatherMs = 2000;
const longestFact = 2000;

/**
 * @param onLost receives OpenTelemetry's errors, such as that of a batch that could not be sent
 * @returns the tracer, and a close function that sends the remaining spans, which may take longer than a shutdown
 * allows
 */
export function openTracing(settings: TracingSettings, onLost: (error: unknown) => void) {
  setGlobalErrorHandler(onLost);
  const exporter = new OTLPTraceExporter({
    url: `${settings.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`,
    headers: { ...readHeaders(settings.OTEL_EXPORTER_OTLP_HEADERS ?? "") },
  });
  const service = { "service.name": settings.OTEL_SERVICE_NAME, "service.instance.id": randomUUID() };
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(service)),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.OTEL_TRACES_SAMPLER_ARG) }),
    spanLimits: { attributeValueLengthLimit: longestFact },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: mostWaiting,
        maxExportBatchSize: mostInBatch,
        scheduledDelayMillis: gatherMs,
      }),
    ],
  });
  return { tracer: new Tracer(provider.getTracer("quintet")), close: () => provider.shutdown() };
}

export interface SpanStart {
  readonly kind: "server" | "client" | "internal";
  /** The name of a route or task, not of a single request, so that there are few different names. */
  readonly name: string;
  readonly facts?: Attributes;
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

export class Tracer {
  readonly #tracer: SdkTracer;
  readonly #at = new AsyncLocalStorage<Context>();

  constructor(tracer: SdkTracer) {
    this.#tracer = tracer;
  }

  /** @param parent a remote `traceparent`, used instead of the current span */
  begin({ kind, name, facts = {} }: SpanStart, parent?: string): Span {
    const remote = parent === undefined ? null : parseTraceParent(parent);
    const above = remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : this.#at.getStore();
    return new Span(this.#tracer.startSpan(name, { kind: kinds[kind], attributes: facts }, above ?? ROOT_CONTEXT));
  }

  /**
   * Returns undefined unless there is a sampled current span, because a statement without one, such as a poll or probe,
   * would be a trace of its own.
   * @param text the statement, with placeholders for values
   */
  beginStatement(text: string): Span | undefined {
    const above = this.#at.getStore();
    if (!above || !trace.getSpan(above)?.isRecording()) return undefined;
    const verb = (/[a-z]+/i.exec(text)?.[0] ?? "").toUpperCase();
    // The table of an `exists` subquery must not be taken for the statement's table.
    const asked = text.replace(/\bexists\s*\([^()]*\)/gi, "");
    const [, table] = /\b(?:from|into|update|copy|join)\s+(?:only\s+)?("?[a-z_]+"?\."?[a-z_]+"?)/i.exec(asked) ?? [];
    const name = table === undefined ? verb : `${verb} ${table.replaceAll('"', "")}`;
    const facts = { "db.system.name": "postgresql", "db.query.text": text.replace(/\s+/g, " ").trim() };
    return this.begin({ kind: "client", name, facts });
  }

  within<T>(span: Span, work: () => T): T {
    return this.#at.run(span.context, work);
  }
}

export class Span {
  readonly #span: SdkSpan;

  constructor(span: SdkSpan) {
    this.#span = span;
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  get context(): Context {
    return trace.setSpan(ROOT_CONTEXT, this.#span);
  }

  note(facts: Attributes): void {
    this.#span.setAttributes(facts);
  }

  /** @param failure an error code or kind, never a message, which may contain values */
  end(failure?: string): void {
    if (failure !== undefined) {
      this.#span.setAttribute("error.type", failure);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}
