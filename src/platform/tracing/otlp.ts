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
import { parseTraceParent } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { type Counts, CountingExporter } from "./counting-exporter.ts";
import { readPairs, type TracingSettings } from "./settings.ts";
import { describeStatement } from "./statement-span.ts";

// Loaded only where traces are taken: with all that it stands on it takes some 10 MB of memory.

export interface OpenTracing {
  readonly tracer: Tracer;
  /** Sends what is left, for as long as it takes; a collector that is gone is given up after the timeout of the settings. */
  readonly close: () => Promise<void>;
}

export interface TracingOptions {
  readonly settings: TracingSettings & { readonly OTEL_EXPORTER_OTLP_ENDPOINT: string };
  readonly counts: Counts;
  /** Is told why a batch was lost, in words without the address. */
  readonly onLost: (why: string) => void;
}

// A span's share of memory is some 2 KB. What comes while these wait is dropped, and counted.
const mostWaiting = 4096;
const mostInBatch = 512;
const gatherMs = 2000;
const longestFact = 2000;

export function openTracing({ settings, counts, onLost }: TracingOptions): OpenTracing {
  const exporter = new OTLPTraceExporter({
    url: `${settings.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`,
    headers: { ...readPairs(settings.OTEL_EXPORTER_OTLP_HEADERS ?? "") },
    timeoutMillis: settings.OTEL_EXPORTER_OTLP_TIMEOUT,
  });
  const processor = new BatchSpanProcessor({
    exporter: new CountingExporter(exporter, counts, onLost),
    maxQueueSize: mostWaiting,
    maxExportBatchSize: mostInBatch,
    scheduledDelayMillis: gatherMs,
    exportTimeoutMillis: settings.OTEL_EXPORTER_OTLP_TIMEOUT + 1000,
  });
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        ...readPairs(settings.OTEL_RESOURCE_ATTRIBUTES),
        "service.name": settings.OTEL_SERVICE_NAME,
        "service.instance.id": randomUUID(),
      }),
    ),
    sampler: makeSampler(settings),
    spanLimits: { attributeValueLengthLimit: longestFact },
    spanProcessors: [processor],
  });
  return { tracer: new Tracer(provider.getTracer("quintet"), counts), close: () => provider.shutdown() };
}

function makeSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: TracingSettings): Sampler {
  const root = name.endsWith("always_off")
    ? new AlwaysOffSampler()
    : name.endsWith("traceidratio")
      ? new TraceIdRatioBasedSampler(share)
      : new AlwaysOnSampler();
  return name.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

export interface Doing {
  /** Something asked of us, something that we ask of others, work of our own. */
  readonly kind: "server" | "client" | "internal";
  /** One of few: a route's pattern, a task. */
  readonly name: string;
  readonly facts?: Attributes;
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

export class Tracer {
  readonly #tracer: SdkTracer;
  readonly #counts: Counts;
  readonly #at = new AsyncLocalStorage<Context>();

  constructor(tracer: SdkTracer, counts: Counts) {
    this.#tracer = tracer;
    this.#counts = counts;
  }

  /** Begins a span below the one that the caller works in; below `parent`, a `traceparent` of somebody else, if given. */
  begin({ kind, name, facts = {} }: Doing, parent?: string): Span {
    const remote = parent === undefined ? null : parseTraceParent(parent);
    const above = remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : this.#at.getStore();
    const span = this.#tracer.startSpan(name, { kind: kinds[kind], attributes: facts }, above ?? ROOT_CONTEXT);
    if (span.isRecording()) this.#counts.taken++;
    return new Span(span);
  }

  /**
   * Begins the span of a statement, if the caller works in one that is taken: polls and probes would otherwise be a trace
   * each. @param text with $1, $2 … in place of values
   */
  beginStatement(text: string): Span | undefined {
    const above = this.#at.getStore();
    return above && trace.getSpan(above)?.isRecording() ? this.begin(describeStatement(text)) : undefined;
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
