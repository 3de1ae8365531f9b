// Spans at the few doors that matter: a request, a statement, a call to the outside, a job, a push. The modules of others
// are not patched. What a span says is in the hands of whoever begins it: names, counts and patterns, never a value.

export type Facts = Readonly<Record<string, string | number | boolean>>;

/** What a span is of: something asked of us, something that we ask of others, work of our own. */
export type SpanKind = "server" | "client" | "internal";

export interface Span {
  /** 32 hexadecimal digits, as log lines name it. */
  readonly traceId: string;
  /** Whether it will be sent; what is below one that is not need not be measured. */
  readonly isTaken: boolean;
  note(facts: Facts): void;
  /** @param failure what it failed with, in a word: never an error's message */
  end(failure?: string): void;
}

export interface Doing {
  readonly kind: SpanKind;
  /** One of few: a route's pattern, a task. */
  readonly name: string;
  readonly facts?: Facts;
}

export interface Tracer {
  /** Begins a span below the one that the caller works in; below `parent`, a `traceparent` of somebody else, if given. */
  begin(doing: Doing, parent?: string): Span;
  /**
   * Begins the span of a statement, if the caller works in one that is taken: polls and probes would otherwise be a trace
   * each. @param text with $1, $2 … in place of values
   */
  beginStatement(text: string): Span | undefined;
  /** Runs work in the span, and all that it begins, later too. */
  within<T>(span: Span, work: () => T): T;
}

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
