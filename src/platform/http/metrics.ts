import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { collectDefaultMetrics, Counter, Gauge, Histogram, type Metric, Registry } from "prom-client";
import { countOpen } from "#platform/alerts/index.ts";
import { refuseUnmetRequirements } from "#platform/accounts/login-requirements.ts";
import { isOperator } from "#platform/contract/caller.ts";
import { mayTake } from "#platform/contract/rights.ts";
import { Problem } from "#platform/contract/problem.ts";
import { singleFlight } from "#platform/contract/single-flight.ts";
import { readTokenHeader } from "#platform/http/access.ts";
import { getCaller } from "#platform/http/key-access.ts";
import { toHealthMetrics } from "#platform/http/health-metrics.ts";
import { makeConnectionMetrics, makePoolMetrics, makeTurnMetric } from "#platform/http/process-metrics.ts";
import { countJobsByTask } from "#platform/jobs/metrics.ts";
import type { NamedCondition } from "#platform/process/condition.ts";
import { type HealthPart, inTime } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { Service } from "#platform/process/service.ts";

const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];
/** For so long what the database was asked for is told again: whoever asks more often costs it nothing more. */
const freshMs = 5000;

export interface MetricsOptions {
  readonly services: readonly Pick<Service, "metrics" | "turns">[];
  readonly listHealth: () => Promise<readonly HealthPart[]>;
  readonly conditions: readonly NamedCondition[];
  /** Of this process, beside those of the services. */
  readonly metrics?: readonly Metric[];
}

/**
 * Measures every answer, and serves the figures at /metrics in Prometheus' text form to operators or METRICS_TOKEN. What
 * comes out of the database is missing while there is none; the rest is told.
 */
export function serveMetrics(app: FastifyInstance, platform: Platform, options: MetricsOptions): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "quintet_" });
  measureAnswers(app, registry);
  const jobs = new Gauge({
    name: "quintet_jobs",
    help: "Background jobs that wait or have failed for good, of all processes",
    labelNames: ["state", "task"],
    registers: [registry],
  });
  const alerts = new Gauge({
    name: "quintet_alerts",
    help: "What a condition holds of now, of all processes",
    labelNames: ["condition", "severity"],
    registers: [registry],
  });
  const turns = Object.assign(
    { downloads: platform.streams.turns },
    ...options.services.map((service) => service.turns),
  );
  const own = [
    ...makeConnectionMetrics(app, platform),
    ...makePoolMetrics(platform),
    makeTurnMetric(turns),
    ...(options.metrics ?? []),
  ];
  for (const metric of [...own, ...options.services.flatMap((service) => service.metrics ?? [])])
    registry.registerMetric(metric);
  const readShared = singleFlight(async () => {
    const [parts, tasks, open] = await Promise.all([
      options.listHealth(),
      inTime(() => countJobsByTask(platform.pool)).catch(() => []),
      inTime(() => countOpen(platform.pool)).catch(() => undefined),
    ]);
    return { health: await toHealthMetrics(parts), tasks, open };
  }, freshMs);
  app.get(`${platform.settings.BASE_PATH}/metrics`, async (request, reply) => {
    await refuseStrangers(request, platform);
    const { health, tasks, open } = await readShared();
    jobs.reset();
    for (const { task, waiting, failed } of tasks) {
      jobs.set({ state: "waiting", task }, waiting);
      jobs.set({ state: "failed", task }, failed);
    }
    alerts.reset();
    for (const { id: condition, severity } of open ? options.conditions : [])
      alerts.set({ condition, severity }, open?.get(condition) ?? 0);
    return reply.header("content-type", registry.contentType).send(`${await registry.metrics()}\n${health}`);
  });
}

/** By route and not by path, by problem and not by message: there are some hundreds of either, and no more. */
function measureAnswers(app: FastifyInstance, registry: Registry): void {
  const durations = new Histogram({
    name: "quintet_http_request_seconds",
    help: "Time from a request's headers to the end of its answer",
    labelNames: ["method", "route", "status"],
    buckets: bucketsSeconds,
    registers: [registry],
  });
  const problems = new Counter({
    name: "quintet_http_problems_total",
    help: "Requests that were refused or have failed, by the problem's name, whatever their status",
    labelNames: ["route", "problem"],
    registers: [registry],
  });
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "none";
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    if (request.problem !== undefined) problems.inc({ route, problem: request.problem });
    done();
  });
}

async function refuseStrangers(request: FastifyRequest, platform: Platform): Promise<void> {
  const { settings } = platform;
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  if (bearer !== undefined && settings.METRICS_TOKEN !== undefined && equals(bearer, settings.METRICS_TOKEN)) return;
  const token = readTokenHeader(request);
  if (!token) throw new Problem(bearer === undefined ? "headerMissing" : "tokenInvalid");
  const caller = await getCaller(request, token, platform);
  if (!isOperator(caller) || !mayTake(caller, "platform", "read")) throw new Problem("forbidden");
  refuseUnmetRequirements(settings, { own: true }, caller);
}

const equals = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
};
