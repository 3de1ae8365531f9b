import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import {
  type Context,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  type SpanContext,
  SpanKind as SdkKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer as SdkTracer,
} from "@opentelemetry/api";
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
import type { Doing, Facts, Span, SpanKind, Tracer } from "./tracer.ts";
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
  return { tracer: new OtlpTracer(provider.getTracer("quintet"), counts), close: () => provider.shutdown() };
}

function makeSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: TracingSettings): Sampler {
  const root = name.endsWith("always_off")
    ? new AlwaysOffSampler()
    : name.endsWith("traceidratio")
      ? new TraceIdRatioBasedSampler(share)
      : new AlwaysOnSampler();
  return name.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

const kinds: Readonly<Record<SpanKind, SdkKind>> = {
  server: SdkKind.SERVER,
  client: SdkKind.CLIENT,
  internal: SdkKind.INTERNAL,
};

class OtlpTracer implements Tracer {
  readonly #tracer: SdkTracer;
  readonly #counts: Counts;
  readonly #at = new AsyncLocalStorage<OtlpSpan>();

  constructor(tracer: SdkTracer, counts: Counts) {
    this.#tracer = tracer;
    this.#counts = counts;
  }

  begin({ kind, name, facts }: Doing, parent?: string): Span {
    const remote = parent === undefined ? undefined : readTraceparent(parent);
    const context = remote
      ? trace.setSpanContext(ROOT_CONTEXT, remote)
      : (this.#at.getStore()?.context ?? ROOT_CONTEXT);
    return this.#start(name, kinds[kind], facts, context);
  }

  beginStatement(text: string): Span | undefined {
    const above = this.#at.getStore();
    if (!above?.isTaken) return undefined;
    const { name, facts } = describeStatement(text);
    return this.#start(name, SdkKind.CLIENT, facts, above.context);
  }

  within<T>(span: Span, work: () => T): T {
    return span instanceof OtlpSpan ? this.#at.run(span, work) : work();
  }

  #start(name: string, kind: SdkKind, facts: Facts | undefined, context: Context): OtlpSpan {
    const span = this.#tracer.startSpan(name, facts ? { kind, attributes: { ...facts } } : { kind }, context);
    if (span.isRecording()) this.#counts.taken++;
    return new OtlpSpan(span);
  }
}

class OtlpSpan implements Span {
  readonly #span: SdkSpan;
  #context: Context | undefined;
  readonly isTaken: boolean;

  constructor(span: SdkSpan) {
    this.#span = span;
    this.isTaken = span.isRecording();
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  get context(): Context {
    return (this.#context ??= trace.setSpan(ROOT_CONTEXT, this.#span));
  }

  note(facts: Facts): void {
    this.#span.setAttributes(facts);
  }

  end(failure?: string): void {
    if (failure !== undefined) {
      this.#span.setAttribute("error.type", failure);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}

/** The span of somebody else that a `traceparent` header names; undefined when it names none. */
function readTraceparent(text: string): SpanContext | undefined {
  const [, version, traceId, spanId, flags] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(text) ?? [];
  if (!traceId || !spanId || version === "ff" || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags ?? "0", 16) & TraceFlags.SAMPLED, isRemote: true };
}
