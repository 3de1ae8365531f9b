import { Gauge, Registry } from "prom-client";
import type { HealthPart } from "#platform/process/health.ts";

const states = ["ok", "degraded", "failed"] as const;

/**
 * The figures of health as metrics: of the part `relay` the figure `oldestPendingSeconds` is
 * `quintet_relay_oldest_pending_seconds`. So what health knows is said once, also by a part that is new. A figure of one of
 * several, which has a name after it (`usedBytes <service>`), is `quintet_files_used_bytes_each` with that name as `of`: the
 * sum has the other name.
 */
export function toHealthMetrics(parts: readonly HealthPart[]): Promise<string> {
  const registry = new Registry();
  const state = new Gauge({
    name: "quintet_health",
    help: "1 at the state that a part of GET /platform/health is in",
    labelNames: ["part", "state"],
    registers: [registry],
  });
  const flag = new Gauge({
    name: "quintet_health_flag",
    help: "1 where a figure of a part of GET /platform/health is true, 0 where it is false",
    labelNames: ["part", "flag"],
    registers: [registry],
  });
  for (const part of parts) {
    for (const each of states) state.set({ part: part.name, state: each }, each === part.state ? 1 : 0);
    for (const [figure, value] of Object.entries(part.figures)) {
      if (typeof value === "boolean") flag.set({ part: part.name, flag: figure }, Number(value));
      if (typeof value === "number") setFigure(registry, part.name, figure, value);
    }
  }
  return registry.metrics();
}

function setFigure(registry: Registry, part: string, figure: string, value: number): void {
  const [key = "", of] = figure.split(" ");
  const inMs = key.endsWith("Ms");
  const name = toMetricName(part, inMs ? key.replace(/Ms$/, "Seconds") : key, of);
  const known = registry.getSingleMetric(name) as Gauge<"of"> | undefined;
  const help = `Figure ${key} of the part ${part} of GET /platform/health`;
  const gauge = known ?? new Gauge({ name, help, labelNames: of === undefined ? [] : ["of"], registers: [registry] });
  const inBaseUnit = inMs ? value / 1000 : value;
  if (of === undefined) gauge.set(inBaseUnit);
  else gauge.set({ of }, inBaseUnit);
}

const toMetricName = (part: string, key: string, of: string | undefined): string =>
  `quintet_${part}_${key}${of === undefined ? "" : "_each"}`
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replace(/\W/g, "_");
