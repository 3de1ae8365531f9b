import type { FastifyBaseLogger } from "fastify";
import type { SpanStart, Span, Tracer } from "./otlp.ts";
import type { TracingSettings } from "./settings.ts";

// Spans at the few doors that matter: a request, a statement, a call to the outside, a job, a push. The modules of others
// are not patched. What a span says is in the hands of whoever begins it: names, counts and patterns, never a value.

/**
 * The process's tracer while traces are taken. Otherwise undefined: a door that finds it so does nothing more, which is all
 * that traces cost then.
 */
export let tracer: Tracer | undefined;

// A stop must be over within ten seconds; what else there is to stop may have taken eight of them.
const shutdownMs = 1000;
const reportIntervalMs = 60_000;

/**
 * Begins to take traces when the settings name a collector; before the doors are opened that look for a tracer.
 * @returns how to take no more, which sends what is left for a second at most
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
    log.warn({ why: nameFailure(error) }, "traces could not be delivered");
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

/** Runs work in a span that ends with it. */
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

/** A status, a system's or the database's code, or what kind of error it is: messages can hold values. */
export function nameFailure(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === "number") return `status ${code}`;
  if (typeof code === "string" && /^[A-Z0-9_]{3,40}$/.test(code)) return code;
  return typeof name === "string" && /^\w{1,40}$/.test(name) ? name : "failed";
}
