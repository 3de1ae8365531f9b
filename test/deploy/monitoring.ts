import { parse } from "yaml";
import * as z from "zod";

// Whether the dashboard and the alarms ask for what /metrics has, and lead to what operations say. Each function takes all
// that it needs as texts, so that a planted fault can be shown to it.

const source = z.strictObject({ type: z.literal("prometheus"), uid: z.literal("${datasource}") });
const target = z.strictObject({
  refId: z.string().regex(/^[A-Z]$/),
  datasource: source,
  expr: z.string().min(1),
  legendFormat: z.string().min(1),
  instant: z.boolean().optional(),
});
const gridPos = z.strictObject({
  x: z.int().min(0),
  y: z.int().min(0),
  w: z.int().min(1).max(24),
  h: z.int().min(1),
});
const panel = z.strictObject({
  id: z.int(),
  type: z.enum(["timeseries", "stat"]),
  title: z.string().min(1),
  description: z.string().optional(),
  datasource: source,
  gridPos,
  fieldConfig: z.strictObject({
    defaults: z.looseObject({ unit: z.string().min(1) }),
    overrides: z.array(z.never()),
  }),
  options: z.looseObject({}),
  targets: z.array(target).min(1),
});
const row = z.strictObject({
  id: z.int(),
  type: z.literal("row"),
  title: z.string().endsWith("?"),
  collapsed: z.literal(false),
  gridPos,
  panels: z.array(z.never()),
});
const dashboard = z.object({
  uid: z.literal("quintet"),
  title: z.literal("Quintet"),
  schemaVersion: z.int().min(36),
  templating: z.object({ list: z.array(z.object({ name: z.enum(["datasource", "job"]) })).length(2) }),
  panels: z.array(z.discriminatedUnion("type", [panel, row])),
});

const alarms = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Quintet[A-Za-z]+$/),
          expr: z.string().min(1),
          for: z.string().regex(/^\d+m$/),
          labels: z.strictObject({ severity: z.enum(["critical", "warning"]) }),
          annotations: z.strictObject({
            summary: z.string().min(1),
            description: z.string().optional(),
            runbook_url: z.string(),
          }),
        }),
      ),
    }),
  ),
});

export interface Asked {
  readonly where: string;
  readonly expr: string;
}

/** What is wrong with the form of a dashboard, and what its panels ask for. */
export function readDashboard(text: string): { readonly faults: string[]; readonly asked: Asked[] } {
  const { panels } = dashboard.parse(JSON.parse(text));
  const ids = new Set(panels.map(({ id }) => id));
  const faults = ids.size === panels.length ? [] : ["two panels have one id"];
  for (const [index, one] of panels.entries()) {
    const { x, y, w, h } = one.gridPos;
    const covers = ({ gridPos: other }: { gridPos: typeof one.gridPos }): boolean =>
      x < other.x + other.w && other.x < x + w && y < other.y + other.h && other.y < y + h;
    if (x + w > 24 || panels.slice(index + 1).some(covers)) faults.push(`${one.title} covers another panel`);
  }
  const asked = panels.flatMap((one) =>
    one.type === "row" ? [] : one.targets.map(({ expr }) => ({ where: one.title, expr })),
  );
  return { faults, asked };
}

export interface Alarm extends Asked {
  readonly runbook: string;
}

export const readAlarms = (text: string): Alarm[] =>
  alarms
    .parse(parse(text))
    .groups.flatMap(({ rules }) =>
      rules.map(({ alert, expr, annotations }) => ({ where: alert, expr, runbook: annotations.runbook_url })),
    );

/** The names that a text of /metrics has, those of a histogram's parts too. */
export function listNames(metrics: string): ReadonlySet<string> {
  const types = [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name = "", type]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}

/** What is asked for that nobody tells, and what is added up that every process tells alike. */
export function findUnknown(asked: readonly Asked[], metrics: string): string[] {
  const names = listNames(metrics);
  const shared = /\bquintet_(?:health|alerts|jobs|files|payments|database|relay_(?!push|events))\w*/;
  return asked.flatMap(({ where, expr }) => [
    ...[...expr.matchAll(/quintet_\w+/g)].filter(([name]) => !names.has(name)).map(([name]) => `${where}: no ${name}`),
    ...(shared.test(expr) && !/\b(?:max|min)\b/.test(expr) ? [`${where}: every process tells it, so take max`] : []),
  ]);
}
