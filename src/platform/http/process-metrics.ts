import { promisify } from "node:util";
import type { FastifyInstance } from "fastify";
import { Counter, Gauge, type Metric } from "prom-client";
import { passwordTurns } from "#platform/accounts/password.ts";
import type { Turns } from "#platform/jobs/turns.ts";
import type { Platform } from "#platform/process/platform.ts";

// What one process knows of itself without asking anybody, read as it is asked for.

/** How full the process's pool of database connections is, and how long statements and transactions have waited for one. */
export function makePoolMetrics({ pool }: Pick<Platform, "pool">): readonly Metric[] {
  const connections = new Gauge({
    name: "quintet_pool_connections",
    help: "Database connections of this process",
    labelNames: ["state"],
    registers: [],
    collect() {
      const { busy, idle, opening } = pool.readFigures();
      this.set({ state: "busy" }, busy);
      this.set({ state: "idle" }, idle);
      this.set({ state: "opening" }, opening);
    },
  });
  const most = new Gauge({
    name: "quintet_pool_connections_max",
    help: "Database connections that this process may have",
    registers: [],
    collect() {
      this.set(pool.readFigures().most);
    },
  });
  const waiting = new Gauge({
    name: "quintet_pool_waiting",
    help: "Statements and transactions that wait for a database connection",
    registers: [],
    collect() {
      this.set(pool.readFigures().waiting);
    },
  });
  return [
    connections,
    most,
    waiting,
    makeTotal(
      "quintet_pool_waits_total",
      "Times that a database connection was waited for",
      () => pool.readFigures().waits,
    ),
    makeTotal(
      "quintet_pool_wait_seconds_total",
      "Time for which database connections were waited for",
      () => pool.readFigures().waitedMs / 1000,
    ),
  ];
}

/** Connections of clients, of which MAX_CONNECTIONS is the most. */
export function makeConnectionMetrics(
  app: FastifyInstance,
  { settings }: Pick<Platform, "settings">,
): readonly Metric[] {
  const connections = new Gauge({
    name: "quintet_http_connections",
    help: "Connections that clients have to this process",
    registers: [],
    async collect() {
      this.set(await promisify(app.server.getConnections.bind(app.server))());
    },
  });
  const most = new Gauge({ name: "quintet_http_connections_max", help: "MAX_CONNECTIONS", registers: [] });
  most.set(settings.MAX_CONNECTIONS);
  return [connections, most];
}

/** A counter that somebody else counts. */
export function makeTotal(name: string, help: string, read: () => number): Metric {
  return new Counter({
    name,
    help,
    registers: [],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/** Who is at work and who waits wherever a bounded number may work at once. */
export function makeTurnMetric(turns: Readonly<Record<string, Pick<Turns, "count">>>): Metric {
  const all = Object.entries({ ...turns, logins: passwordTurns.login, "password changes": passwordTurns.change });
  return new Gauge({
    name: "quintet_turns",
    help: "Pieces of work of which a bounded number runs at once in this process",
    labelNames: ["of", "state"],
    registers: [],
    collect() {
      for (const [of, one] of all) {
        const { atWork, waiting } = one.count();
        this.set({ of, state: "at work" }, atWork);
        this.set({ of, state: "waiting" }, waiting);
      }
    },
  });
}
