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

// Loaded only where traces are taken: with all that it stands on it takes some 10 MB of memory.

// A span's share of memory is some 2 KB. What comes while these wait is dropped.
const mostWaiting = 4096;
const mostInBatch = 512;
const gatherMs = 2000;
const longestFact = 2000;

/** @param onLost is told why a batch was lost @returns how to close too, which sends what is left, however long that takes */
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
  /** Something asked of us, something that we ask of others, work of our own. */
  readonly kind: "server" | "client" | "internal";
  /** One of few: a route's pattern, a task. */
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

  /** Begins a span below the one that the caller works in; below `parent`, a `traceparent` of somebody else, if given. */
  begin({ kind, name, facts = {} }: SpanStart, parent?: string): Span {
    const remote = parent === undefined ? null : parseTraceParent(parent);
    const above = remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : this.#at.getStore();
    return new Span(this.#tracer.startSpan(name, { kind: kinds[kind], attributes: facts }, above ?? ROOT_CONTEXT));
  }

  /**
   * Begins the span of a statement, if the caller works in one that is taken: polls and probes would otherwise be a trace
   * each. @param text with $1, $2 … in place of values
   */
  beginStatement(text: string): Span | undefined {
    const above = this.#at.getStore();
    if (!above || !trace.getSpan(above)?.isRecording()) return undefined;
    const verb = (/[a-z]+/i.exec(text)?.[0] ?? "").toUpperCase();
    // A column may ask whether another table has something; that table is not what the statement is about.
    const asked = text.replace(/\bexists\s*\([^()]*\)/gi, "");
    const [, table] = /\b(?:from|into|update|copy|join)\s+(?:only\s+)?("?[a-z_]+"?\."?[a-z_]+"?)/i.exec(asked) ?? [];
    // What it does, and to which table first, as in "SELECT platform.session".
    const name = table === undefined ? verb : `${verb} ${table.replaceAll('"', "")}`;
    const facts = { "db.system.name": "postgresql", "db.query.text": text.replace(/\s+/g, " ").trim() };
    return this.begin({ kind: "client", name, facts });
  }

  /** Runs work in the span, and all that it begins, later too. */
  within<T>(span: Span, work: () => T): T {
    return this.#at.run(span.context, work);
  }
}

export class Span {
  readonly #span: SdkSpan;

  constructor(span: SdkSpan) {
    this.#span = span;
  }

  /** 32 hexadecimal digits, as log lines name it. */
  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  get context(): Context {
    return trace.setSpan(ROOT_CONTEXT, this.#span);
  }

  note(facts: Attributes): void {
    this.#span.setAttributes(facts);
  }

  /** @param failure what it failed with, in a word: never an error's message */
  end(failure?: string): void {
    if (failure !== undefined) {
      this.#span.setAttribute("error.type", failure);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}
