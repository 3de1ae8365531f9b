import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { sampleReport } from "#test/sample-report.ts";

export interface Reporting {
  /** Resolves when every writer has written something that it began after this call. */
  goesOn(): Promise<void>;
  stop(): Promise<Outcome>;
}

export interface Outcome {
  /** The number of each report by its name. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** The longest time in which a writer had no report acknowledged. */
  readonly outageMs: number;
  readonly slowestMs: number;
}

const writers = 6;
const pauseMs = 20;
const answerMs = 60_000;

/** Writers who submit one report after the other, each again under its key until it is acknowledged, at all servers in turn. */
export async function startReporting(addresses: readonly string[]): Promise<Reporting> {
  const acknowledged = new Map<string, number>();
  const over = new AbortController();
  let outageMs = 0;
  let slowestMs = 0;
  let waiting: { readonly writer: number; readonly sinceMs: number; readonly resolve: () => void }[] = [];

  const write = async (writer: number): Promise<void> => {
    let turn = writer;
    for (let n = 1; !over.signal.aborted; n++) {
      const name = `report ${n} of ${writer}`;
      const startedMs = performance.now();
      for (let id: number | undefined; id === undefined;) {
        const askedMs = performance.now();
        id = await submit(addresses[turn++ % addresses.length] ?? "", name);
        slowestMs = Math.max(slowestMs, performance.now() - askedMs);
        if (id === undefined) await delay(pauseMs);
        else acknowledged.set(name, id);
      }
      outageMs = Math.max(outageMs, performance.now() - startedMs);
      for (const one of waiting) if (one.writer === writer && one.sinceMs < startedMs) one.resolve();
    }
  };
  const all = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return {
    async goesOn() {
      const sinceMs = performance.now();
      await Promise.all(
        Array.from(
          { length: writers },
          (_, writer) => new Promise<void>((resolve) => waiting.push({ writer, sinceMs, resolve })),
        ),
      );
      waiting = [];
    },
    async stop() {
      over.abort();
      await all;
      return { acknowledged, outageMs: Math.round(outageMs), slowestMs: Math.round(slowestMs) };
    },
  };
}

/** @returns its number; undefined when the server says that it cannot now. @throws when it says anything else. */
async function submit(address: string, name: string): Promise<number | undefined> {
  const answer = await fetch(`${address}/reporting/informationReporting/add`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": `key of ${name}` },
    body: JSON.stringify(sampleReport({ name })),
    signal: AbortSignal.timeout(answerMs),
  });
  const { code, data, message } = (await answer.json()) as { code: string; data: string; message: string };
  if (answer.status === 503) return undefined;
  assert.deepEqual([answer.status, code], [200, "0"], message);
  return Number(data);
}
