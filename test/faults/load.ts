import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Feed } from "#test/relay/feed.ts";
import { sampleReport } from "#test/sample-report.ts";

// Clients that write without pause at servers to which something happens, and a ledger of what they were told. Each tries
// again what was not acknowledged, with the same Idempotency-Key, as a careful client does.

/** What was acknowledged. */
export interface Ledger {
  /** Ids of the reports, by their unique names. */
  readonly reports: Map<string, number>;
  /** The number of the last event that was taken of each subject. */
  readonly events: Map<string, number>;
}

/** What clients have met since the observation began. */
export interface Observation {
  readonly acknowledged: number;
  /** The longest that the clients of one server had no success, in ms. */
  readonly longestGapMs: number;
  readonly slowestMs: number;
  /** How often what came instead of a success: a status, or "lost" for a connection that broke off. */
  readonly failures: Readonly<Record<string, number>>;
}

export interface Load {
  readonly ledger: Ledger;
  observe(): void;
  readonly observed: () => Observation;
  /** Ends when everything that was begun is acknowledged, or given up after `patienceMs`. */
  stop(patienceMs?: number): Promise<void>;
}

export interface LoadOptions {
  /** Where each server is at the moment. */
  readonly servers: readonly (() => string)[];
  /** Of each kind, at each server. */
  readonly writers?: number;
  readonly pauseMs?: number;
  /** Pushes events beside the reports. */
  readonly feed?: Feed;
}

const giveUpMs = 60_000;
const retryMs = 50;

interface Sent {
  readonly outcome: string;
  readonly tookMs: number;
}

/** What the clients of one server have seen. */
class Watch {
  #acknowledged = 0;
  #lastMs = performance.now();
  #gapMs = 0;
  #slowestMs = 0;
  readonly #failures: Record<string, number> = {};

  note({ outcome, tookMs }: Sent): void {
    this.#slowestMs = Math.max(this.#slowestMs, tookMs);
    if (outcome !== "200") this.#failures[outcome] = (this.#failures[outcome] ?? 0) + 1;
    else {
      this.#acknowledged++;
      this.#gapMs = this.gapMs;
      this.#lastMs = performance.now();
    }
  }

  get gapMs(): number {
    return Math.max(this.#gapMs, performance.now() - this.#lastMs);
  }

  get seen(): Observation {
    const [acknowledged, slowestMs, failures] = [this.#acknowledged, this.#slowestMs, this.#failures];
    return { acknowledged, longestGapMs: this.gapMs, slowestMs, failures };
  }
}

export function startLoad({ servers, writers = 4, pauseMs = 20, feed }: LoadOptions): Load {
  const ledger: Ledger = { reports: new Map(), events: new Map() };
  const over = new AbortController();
  const givenUp = new AbortController();
  let watches = servers.map(() => new Watch());
  /** Until it is acknowledged. */
  const persist = async (place: number, send: (address: string) => Promise<string>): Promise<boolean> => {
    while (!givenUp.signal.aborted) {
      const startedMs = performance.now();
      const outcome = await send(servers[place]?.() ?? "");
      watches[place]?.note({ outcome, tookMs: performance.now() - startedMs });
      await delay(outcome === "200" ? pauseMs : retryMs);
      if (outcome === "200") return true;
    }
    return false;
  };
  const writeReports = async (place: number) => {
    while (!over.signal.aborted) {
      const name = randomUUID().slice(0, 23);
      await persist(place, (address) => submit(address, name, ledger));
    }
  };
  const pushEvents = async (place: number, push: Feed) => {
    const subject = randomUUID().slice(0, 18);
    for (let n = 1; !over.signal.aborted; n++) {
      const data = { card_number: subject, name: "测试员", n };
      const isTaken = await persist(place, async (address) => ((await push(address, data)) ? "200" : "not taken"));
      if (isTaken) ledger.events.set(subject, n);
    }
  };
  const all = Promise.all(
    servers.flatMap((_, place) =>
      Array.from({ length: writers }, () => [writeReports(place), ...(feed ? [pushEvents(place, feed)] : [])]).flat(),
    ),
  );
  return {
    ledger,
    observe: () => void (watches = servers.map(() => new Watch())),
    observed: () => sumUp(watches.map(({ seen }) => seen)),
    async stop(patienceMs = giveUpMs) {
      over.abort();
      const timer = setTimeout(() => givenUp.abort(), patienceMs);
      await all;
      clearTimeout(timer);
    },
  };
}

async function submit(address: string, name: string, { reports }: Ledger): Promise<string> {
  try {
    const response = await fetch(`${address}/reporting/informationReporting/add`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": name },
      body: JSON.stringify(sampleReport({ name })),
      signal: AbortSignal.timeout(giveUpMs),
    });
    const { code, data } = (await response.json()) as { code: string; data: unknown };
    if (response.status === 200 && code === "0") reports.set(name, Number(data));
    return code === "0" ? String(response.status) : `${response.status} ${code}`;
  } catch (error) {
    return nameFailure(error as Error);
  }
}

/** A connection that was never made lost nothing on its way. */
const nameFailure = ({ name, cause }: Error): string =>
  name === "TimeoutError"
    ? "no answer"
    : (cause as { code?: string } | undefined)?.code === "ECONNREFUSED"
      ? "refused"
      : "lost";

function sumUp(all: readonly Observation[]): Observation {
  const failures: Record<string, number> = {};
  for (const one of all)
    for (const [outcome, count] of Object.entries(one.failures)) failures[outcome] = (failures[outcome] ?? 0) + count;
  return {
    acknowledged: all.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    longestGapMs: Math.max(...all.map(({ longestGapMs }) => longestGapMs)),
    slowestMs: Math.max(...all.map(({ slowestMs }) => slowestMs)),
    failures,
  };
}
