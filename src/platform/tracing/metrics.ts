import { Counter, type Metric } from "prom-client";
import type { Traces } from "./start.ts";

/** What becomes of spans, where traces are taken: those taken that are neither delivered nor lost wait, or were dropped. */
export function makeTraceMetrics({ counts }: Traces): readonly Metric[] {
  if (!counts) return [];
  const spans = new Counter({
    name: "quintet_trace_spans_total",
    help: "Spans of this process by what became of them",
    labelNames: ["outcome"],
    registers: [],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(counts)) this.inc({ outcome }, count);
    },
  });
  return [spans];
}
