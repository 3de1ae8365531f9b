import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";

/** Spans since the start: begun and to be sent, in the collector's hands, given up. The others wait, or were dropped. */
export interface Counts {
  taken: number;
  delivered: number;
  lost: number;
}

type Result = Parameters<Parameters<SpanExporter["export"]>[1]>[0];

/** An exporter that says what becomes of batches: the library loses them in silence. */
export class CountingExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #counts: Counts;
  readonly #onLost: (why: string) => void;

  constructor(inner: SpanExporter, counts: Counts, onLost: (why: string) => void) {
    this.#inner = inner;
    this.#counts = counts;
    this.#onLost = onLost;
  }

  export(spans: ReadableSpan[], done: (result: Result) => void): void {
    this.#inner.export(spans, (result) => {
      // 0 is success; the enumeration is in a package that nothing else here needs.
      if (result.code === 0) this.#counts.delivered += spans.length;
      else {
        this.#counts.lost += spans.length;
        this.#onLost(describe(result.error));
      }
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }
}

/** The status or the system's name of the failure: a message can hold the address, and the collector's answer. */
function describe(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === "number") return `status ${code}`;
  return typeof code === "string" && /^[A-Z0-9_]{3,40}$/.test(code) ? code : "no usable answer";
}
