import type { FastifyBaseLogger } from "fastify";
import type { Counts } from "./counting-exporter.ts";
import type { TracingSettings } from "./settings.ts";
import { setTracer, tracer } from "./tracer.ts";

export interface Traces {
  /** Undefined where no traces are taken. */
  readonly counts: Readonly<Counts> | undefined;
  /** Takes no more, and sends what is left for a second at most. */
  readonly stop: () => Promise<void>;
}

const none: Traces = { counts: undefined, stop: async () => {} };

// A stop must be over within ten seconds; what else there is to stop may have taken eight of them.
const farewellMs = 1000;
const quietMs = 60_000;

/** Begins to take traces when the settings name a collector; before the doors are opened that look for a tracer. */
export async function startTraces(settings: TracingSettings, log: Pick<FastifyBaseLogger, "warn">): Promise<Traces> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  if (endpoint === undefined) return none;
  const { openTracing } = await import("./otlp.ts");
  const counts: Counts = { taken: 0, delivered: 0, lost: 0 };
  let toldAtMs = -Infinity;
  const onLost = (why: string): void => {
    if (performance.now() - toldAtMs < quietMs) return;
    toldAtMs = performance.now();
    log.warn({ why, lost: counts.lost }, "traces could not be delivered");
  };
  const open = openTracing({ settings: { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, counts, onLost });
  setTracer(open.tracer);
  return {
    counts,
    async stop() {
      if (tracer === open.tracer) setTracer(undefined);
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, farewellMs);
      await Promise.race([open.close().catch(() => undefined), late.promise]);
      clearTimeout(timer);
    },
  };
}
