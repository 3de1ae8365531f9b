import { Counter, Histogram, type Metric } from "prom-client";
import type { Settlement } from "./queue-store.ts";

/** What the campus platform's pushes have come to: stored, known already, or refused. */
export type EventOutcome = "stored" | "repeat" | "refused";

const bucketsSeconds = [0.01, 0.05, 0.1, 0.25, 1, 2.5, 5, 15];

/** What comes in and goes out through this process. No project is named: there may be any number of them. */
export function makeRelayMetrics() {
  const events = new Counter({
    name: "quintet_relay_events_total",
    help: "Events that the campus platform has sent to this process",
    labelNames: ["outcome"],
    registers: [],
  });
  const pushes = new Histogram({
    name: "quintet_relay_push_seconds",
    help: "Time that receivers have taken for a push of this process, by what became of it",
    labelNames: ["outcome"],
    buckets: bucketsSeconds,
    registers: [],
  });
  return {
    all: [events, pushes] as readonly Metric[],
    noteEvent: (outcome: EventOutcome): void => events.inc({ outcome }),
    noteSettled: (batch: readonly Settlement[]): void => {
      for (const { outcome, durationMs } of batch)
        if (outcome.kind !== "back") pushes.observe({ outcome: outcome.kind }, durationMs / 1000);
    },
  };
}
