import type { Doing, Span, Tracer } from "./otlp.ts";

// Spans at the few doors that matter: a request, a statement, a call to the outside, a job, a push. The modules of others
// are not patched. What a span says is in the hands of whoever begins it: names, counts and patterns, never a value.

/**
 * The process's tracer while traces are taken. Otherwise undefined: a door that finds it so does nothing more, which is all
 * that traces cost then.
 */
export let tracer: Tracer | undefined;

/** Takes traces from now on, or no more. */
export function setTracer(next: Tracer | undefined): void {
  tracer = next;
}

/** Runs work in a span that ends with it. */
export async function traced<T>(doing: Doing, work: (span: Span | undefined) => Promise<T>): Promise<T> {
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

/** A system's or the database's code, or what kind of error it is: messages can hold values. */
export function nameFailure(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === "string" && /^[A-Z0-9_]{3,40}$/.test(code)) return code;
  return typeof name === "string" && /^\w{1,40}$/.test(name) ? name : "failed";
}
