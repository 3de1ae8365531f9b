import type { FastifyBaseLogger } from "fastify";
import type { SpanStart, Span, Tracer } from "./otlp.ts";
import type { TracingSettings } from "./settings.ts";

// Spans cover requests, statements, external calls, jobs and pushes. Libraries are not patched to create spans. The
// callers choose the spans' names and attributes, which contain no content of requests or records.

/** Undefined if tracing is off, so that tracing then costs nothing but the check for undefined. */
export let tracer: Tracer | undefined;

// A shutdown must finish within ten seconds, so sending the remaining spans may take only one second.
const shutdownMs = 1000;
const reportIntervalMs = 60_000;

/**
 * Must be called before any code looks up the tracer.
 * @returns a stop function that sends the remaining spans for at most a second
 */
export async function startTraces(
  settings: TracingSettings,
  log: Pick<FastifyBaseLogger, "warn">,
): Promise<() => Promise<void>> {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return async () => {};
  const { openTracing } = await import("./otlp.ts");
  let toldAtMs = -Infinity;
  const tell = (error: unknown): void => {
    if (performance.now() - toldAtMs < reportIntervalMs) return;
    toldAtMs = performance.now();
    log.warn({ why: nameFailure(error) }, "traces could not be exported");
  };
  const open = openTracing(settings, tell);
  tracer = open.tracer;
  return async () => {
    if (tracer === open.tracer) tracer = undefined;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, shutdownMs);
    await Promise.race([open.close().catch(tell), late.promise]);
    clearTimeout(timer);
  };
}

export async function traced<T>(doing: SpanStart, work: (span: Span | undefined) => Promise<T>): Promise<T> {
  const current = tracer;
  if (!current) return work(undefined);
  const span = current.begin(doing);
  try {
    const result = await current.within(span, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(nameFailure(error));
    throw error;
  }
}

/** Names a failure by its status, error code or error name, because messages may contain values. */
export function nameFailure(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === "number") return `status ${code}`;
  if (typeof code === "string" && /^[A-Z0-9_]{3,40}$/.test(code)) return code;
  return typeof name === "string" && /^\w{1,40}$/.test(name) ? name : "failed";
}
