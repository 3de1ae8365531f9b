import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { findCaller } from "#platform/accounts/session.ts";
import { isOperator } from "#platform/contract/caller.ts";
import { Problem } from "#platform/contract/problem.ts";
import { readTokenHeader } from "#platform/http/access.ts";
import type { Platform } from "#platform/process/platform.ts";

const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/** Measures every answer, and serves the figures at /metrics in Prometheus' text form to operators or METRICS_TOKEN. */
export function serveMetrics(app: FastifyInstance, platform: Platform): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "quintet_" });
  const durations = new Histogram({
    name: "quintet_http_request_seconds",
    help: "Time from a request's headers to the end of its answer",
    labelNames: ["method", "route", "status"],
    buckets: bucketsSeconds,
    registers: [registry],
  });
  registry.registerMetric(makeJobGauge(platform));
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "none";
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });
  app.get(`${platform.settings.BASE_PATH}/metrics`, async (request, reply) => {
    await refuseStrangers(request, platform);
    return reply.header("content-type", registry.contentType).send(await registry.metrics());
  });
}

function makeJobGauge({ pool }: Platform): Gauge {
  return new Gauge({
    name: "quintet_jobs",
    help: "Background jobs that wait or have failed for good",
    labelNames: ["state"],
    registers: [],
    async collect() {
      const [row] = await pool<{ waiting: number; failed: number }[]>`
        select count(*) filter (where attempts < max_attempts) as waiting, count(*) filter (where attempts >= max_attempts) as failed
        from graphile_worker.jobs`;
      this.set({ state: "waiting" }, row?.waiting ?? 0);
      this.set({ state: "failed" }, row?.failed ?? 0);
    },
  });
}

async function refuseStrangers(request: FastifyRequest, { pool, settings }: Platform): Promise<void> {
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  if (bearer !== undefined && settings.METRICS_TOKEN !== undefined && equals(bearer, settings.METRICS_TOKEN)) return;
  const token = readTokenHeader(request);
  if (!token) throw new Problem(bearer === undefined ? "headerMissing" : "tokenInvalid");
  const caller = await findCaller(pool, token);
  if (!caller) throw new Problem("tokenInvalid");
  if (!isOperator(caller)) throw new Problem("forbidden");
}

const equals = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
};
