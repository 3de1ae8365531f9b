import { hash, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { collectDefaultMetrics, Counter, Gauge, type Metric, Registry } from "prom-client";
import { countOpen } from "#platform/alerts/index.ts";
import { passwordSemaphores } from "#platform/accounts/password.ts";
import { refuseUnmetRequirements } from "#platform/accounts/login-requirements.ts";
import { isOperator, seesOf } from "#platform/contract/caller.ts";
import { mayUse } from "#platform/contract/rights.ts";
import { Problem } from "#platform/contract/problem.ts";
import { singleFlight } from "#platform/contract/single-flight.ts";
import { getCaller, readTokenHeader } from "#platform/http/access.ts";
import { countJobsByTask } from "#platform/jobs/metrics.ts";
import type { Semaphore } from "#platform/jobs/semaphore.ts";
import type { NamedCondition } from "#platform/process/condition.ts";
import { type HealthPart, inTime } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { Service } from "#platform/process/service.ts";

const freshMs = 5000;

export interface MetricsOptions {
  readonly services: readonly Pick<Service, "metrics" | "semaphores">[];
  readonly listHealth: () => Promise<readonly HealthPart[]>;
  readonly conditions: readonly NamedCondition[];
  readonly metrics?: readonly Metric[];
}

/**
 * Serves /metrics to operators and to callers with METRICS_TOKEN. During a database outage, operators cannot be
 * identified, and the figures of jobs and alerts are missing.
 */
export function serveMetrics(app: FastifyInstance, platform: Platform, options: MetricsOptions): void {
  const { services, metrics = [] } = options;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "quintet_" });
  registerProcessMetrics(registry, app, platform);
  registerSemaphores(
    registry,
    Object.assign({ downloads: platform.streams.semaphore }, ...services.map(({ semaphores }) => semaphores)),
  );
  for (const metric of [...app.answerMetrics, ...metrics, ...services.flatMap((service) => service.metrics ?? [])])
    registry.registerMetric(metric);
  const readShared = singleFlight(() => renderSharedMetrics(platform, options), freshMs);
  app.get(`${platform.settings.BASE_PATH}/metrics`, async (request, reply) => {
    await refuseStrangers(request, platform);
    const shared = await readShared();
    return reply.header("content-type", registry.contentType).send(`${await registry.metrics()}\n${shared}`);
  });
}

function registerProcessMetrics(registry: Registry, app: FastifyInstance, { pool, settings }: Platform): void {
  const register = (name: string, help: string, read: () => number | Promise<number>): void => {
    const Kind = name.endsWith("_total") ? Counter : Gauge;
    void new Kind({
      name: `quintet_${name}`,
      help,
      registers: [registry],
      async collect() {
        const value = await read();
        // The counted value is read from elsewhere, so the counter is set to it instead of incremented.
        this.reset();
        this.inc(value);
      },
    });
  };
  const figures = () => pool.readFigures();
  const countClients = promisify(app.server.getConnections.bind(app.server));
  register("http_connections", "Client connections to this process", () => countClients());
  register(
    "http_connections_max",
    "Maximum number of client connections to this process",
    () => settings.MAX_CONNECTIONS,
  );
  register("pool_connections_max", "Maximum number of database connections of this process", () => figures().most);
  register("pool_waiting", "Statements and transactions waiting for a database connection", () => figures().waiting);
  register("pool_waits_total", "Number of waits for a database connection", () => figures().waits);
  const waited = "Total time of waits for a database connection";
  register("pool_wait_seconds_total", waited, () => figures().waitedMs / 1000);
  void new Gauge({
    name: "quintet_pool_connections",
    help: "Database connections of this process",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      for (const state of ["busy", "idle", "opening"] as const) this.set({ state }, figures()[state]);
    },
  });
}

function registerSemaphores(registry: Registry, semaphores: Readonly<Record<string, Pick<Semaphore, "count">>>): void {
  const all = Object.entries({
    ...semaphores,
    logins: passwordSemaphores.login,
    "password changes": passwordSemaphores.change,
  });
  void new Gauge({
    name: "quintet_turns",
    help: "Running and waiting tasks of this process whose concurrency is limited",
    labelNames: ["of", "state"],
    registers: [registry],
    collect() {
      for (const [of, one] of all) {
        const { atWork, waiting } = one.count();
        this.set({ of, state: "at work" }, atWork);
        this.set({ of, state: "waiting" }, waiting);
      }
    },
  });
}

async function renderSharedMetrics({ pool }: Platform, { listHealth, conditions }: MetricsOptions): Promise<string> {
  const [parts, tasks, open] = await Promise.all([
    listHealth(),
    inTime(() => countJobsByTask(pool)).catch(() => []),
    inTime(() => countOpen(pool)).catch(() => undefined),
  ]);
  const registry = new Registry();
  const gauge = makeGauges(registry);
  const jobs = gauge("jobs", "Waiting and permanently failed background jobs of all processes", "state", "task");
  for (const { task, waiting, failed } of tasks) {
    jobs.set({ state: "waiting", task }, waiting);
    jobs.set({ state: "failed", task }, failed);
  }
  const alerts = gauge("alerts", "Open alerts by condition, of all processes", "condition", "severity");
  for (const { id: condition, severity } of open ? conditions : [])
    alerts.set({ condition, severity }, open?.get(condition) ?? 0);
  // All numeric and boolean figures of GET /platform/health become metrics, so a new component needs no metrics of its
  // own.
  const state = gauge(
    "health",
    "1 for the current state of a component in GET /platform/health, 0 for other states",
    "part",
    "state",
  );
  const yesOrNo = "Boolean figure of a component in GET /platform/health: 1 if true, 0 if false";
  const flag = gauge("health_flag", yesOrNo, "part", "flag");
  for (const { name: part, state: present, figures } of parts) {
    for (const each of ["ok", "degraded", "failed"] as const)
      state.set({ part, state: each }, Number(each === present));
    for (const [figure, value] of Object.entries(figures)) {
      if (typeof value === "boolean") flag.set({ part, flag: figure }, Number(value));
      if (typeof value === "number") setFigure(registry, part, figure, value);
    }
  }
  return registry.metrics();
}

const makeGauges =
  (registry: Registry) =>
  (name: string, help: string, ...labelNames: string[]): Gauge =>
    new Gauge({ name: `quintet_${name}`, help, labelNames, registers: [registry] });

/**
 * Writes a figure as a metric, with milliseconds as seconds: `oldestPendingSeconds` of the part `relay` becomes
 * `quintet_relay_oldest_pending_seconds`. A figure with a suffix (`usedBytes <service>`) becomes `…_each` with the
 * suffix as the label `of`, because the metric without `_each` is the sum.
 */
function setFigure(registry: Registry, part: string, figure: string, value: number): void {
  const [key = "", of] = figure.split(" ");
  const inMs = key.endsWith("Ms");
  const name = `${part}_${inMs ? key.replace(/Ms$/, "Seconds") : key}${of === undefined ? "" : "_each"}`
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replace(/\W/g, "_");
  const known = registry.getSingleMetric(`quintet_${name}`) as Gauge | undefined;
  const help = `Figure ${key} of the component ${part} in GET /platform/health`;
  const gauge = known ?? makeGauges(registry)(name, help, ...(of === undefined ? [] : ["of"]));
  gauge.set(of === undefined ? {} : { of }, inMs ? value / 1000 : value);
}

async function refuseStrangers(request: FastifyRequest, platform: Platform): Promise<void> {
  const { settings } = platform;
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  const [given, wanted] = [bearer, settings.METRICS_TOKEN].map((text) => text && hash("sha256", text, "buffer"));
  if (given && wanted && timingSafeEqual(given, wanted)) return;
  const token = readTokenHeader(request);
  if (!token) throw new Problem(bearer === undefined ? "headerMissing" : "tokenInvalid");
  const caller = await getCaller(request, token, platform);
  if (!isOperator(caller) || !seesOf(caller, "platform") || !mayUse(caller, "platform", "read"))
    throw new Problem("forbidden");
  refuseUnmetRequirements(settings, { own: true }, caller);
}
