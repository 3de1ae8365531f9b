import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { send } from "#test/call.ts";
import type { Feed } from "#test/relay/feed.ts";
import { sampleReport } from "#test/sample-report.ts";
import { until } from "#test/until.ts";

// Clients submit reports and events during a fault, and repeat each one that failed, as careful clients do. A repeated
// report has the same Idempotency-Key.

export interface Ledger {
  readonly reports: Map<string, number>;
  readonly events: Map<string, number>;
}

export interface Observation {
  acknowledged: number;
  longestGapMs: number;
  longestWaitMs: number;
  slowestMs: number;
  readonly failures: Record<string, number>;
}

export interface Load {
  readonly ledger: Ledger;
  observe(): void;
  readonly observed: () => Observation;
  /** Resolves when each server has acknowledged a write that began after this call. */
  goesOn(withinMs: number): Promise<void>;
  /** Resolves when each client's last write is acknowledged, or given up after `patienceMs`. */
  stop(patienceMs?: number): Promise<void>;
}

const giveUpMs = 60_000;
const pauseMs = 20;
const retryMs = 50;
const writers = 4;

export function startLoad(servers: readonly (() => string)[], feed: Feed): Load {
  const ledger: Ledger = { reports: new Map(), events: new Map() };
  const over = new AbortController();
  const givenUp = new AbortController();
  const taken = servers.map(() => 0);
  let watch = openWatch(servers.length);
  const persist = async (place: number, submit: (address: string) => Promise<string>): Promise<boolean> => {
    const begunMs = performance.now();
    while (!givenUp.signal.aborted) {
      const startedMs = performance.now();
      const outcome = await submit(servers[place]?.() ?? "");
      watch.note(place, outcome, { startedMs, begunMs });
      await delay(outcome === "200" ? pauseMs : retryMs);
      if (outcome !== "200") continue;
      taken[place] = (taken[place] ?? 0) + 1;
      return true;
    }
    return false;
  };
  const writeReports = async (place: number) => {
    while (!over.signal.aborted) {
      const name = randomUUID().slice(0, 23);
      await persist(place, (address) => submitReport(address, name, ledger));
    }
  };
  const pushEvents = async (place: number) => {
    const subject = randomUUID().slice(0, 18);
    for (let n = 1; !over.signal.aborted; n++) {
      const data = { card_number: subject, name: "测试员", n };
      const isTaken = await persist(place, async (address) => ((await feed(address, data)) ? "200" : "not taken"));
      if (isTaken) ledger.events.set(subject, n);
    }
  };
  const clients = Array.from({ length: writers }, () => [writeReports, pushEvents]).flat();
  const all = Promise.all(servers.flatMap((_, place) => clients.map((client) => client(place))));
  return {
    ledger,
    observe: () => void (watch = openWatch(servers.length)),
    observed: () => watch.observed(),
    async goesOn(withinMs) {
      // If each server acknowledges more writes after this call than it has clients, at least one of these writes has
      // begun after the call.
      const enough = taken.map((count) => count + clients.length + 1);
      await until("writes go on", () => taken.every((count, place) => count >= (enough[place] ?? 0)), { withinMs });
    },
    async stop(patienceMs = giveUpMs) {
      over.abort();
      const timer = setTimeout(() => givenUp.abort(), patienceMs);
      await all;
      clearTimeout(timer);
    },
  };
}

function openWatch(servers: number) {
  const seen: Observation = { acknowledged: 0, longestGapMs: 0, longestWaitMs: 0, slowestMs: 0, failures: {} };
  const lastMs = Array.from({ length: servers }, () => performance.now());
  return {
    note(place: number, outcome: string, { startedMs, begunMs }: { startedMs: number; begunMs: number }): void {
      const nowMs = performance.now();
      seen.slowestMs = Math.max(seen.slowestMs, nowMs - startedMs);
      if (outcome !== "200") {
        seen.failures[outcome] = (seen.failures[outcome] ?? 0) + 1;
        return;
      }
      seen.acknowledged++;
      seen.longestWaitMs = Math.max(seen.longestWaitMs, nowMs - begunMs);
      seen.longestGapMs = Math.max(seen.longestGapMs, nowMs - (lastMs[place] ?? nowMs));
      lastMs[place] = nowMs;
    },
    observed: (): Observation => ({
      ...seen,
      longestGapMs: Math.max(seen.longestGapMs, ...lastMs.map((ms) => performance.now() - ms)),
    }),
  };
}

async function submitReport(address: string, name: string, { reports }: Ledger): Promise<string> {
  const headers = { "idempotency-key": name };
  const options = { headers, body: sampleReport({ name }), signal: AbortSignal.timeout(giveUpMs) };
  try {
    const { status, json } = await send(address, "POST", "/reporting/informationReporting/add", options);
    if (json.code !== "0") return `${status} ${json.code}`;
    if (status === 200) reports.set(name, Number(json.data));
    return String(status);
  } catch (error) {
    const { name: kind, cause } = error as Error & { readonly cause?: { readonly code?: string } };
    if (kind === "TimeoutError") return "no answer";
    // A request whose connection was refused never reached the server, so nothing was lost.
    return cause?.code === "ECONNREFUSED" ? "refused" : "lost";
  }
}
