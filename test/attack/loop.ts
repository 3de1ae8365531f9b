import { monitorEventLoopDelay } from "node:perf_hooks";
import { contracts } from "#quintet/app.ts";
import type { TestApp } from "#test/app.ts";
import { createCallers } from "#test/property/callers.ts";
import { listOperations, type Operation } from "#test/property/shot.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { openSender, type Sender } from "./sender.ts";
import { type Hostile, listHostile } from "./texts.ts";

export interface HoldRequest {
  /** An app in this process: what its thread works is measured. */
  readonly app: Pick<TestApp, "url" | "pool">;
  readonly random: () => number;
  readonly forMs: number;
  /** So many requests are sent at least, however long it takes. */
  readonly least?: number;
  /** Requests whose name it does not match are left out. */
  readonly only?: RegExp;
}

// A text that is slow by its square shows itself when it is small, and need not hold the test for minutes.
const sizes = [32 * 1024, 1024 * 1024 - 4096] as const;

const mostMs = { thread: 100, process: 2000 } as const;

/** All operations with all texts, in any order. */
const shuffle = (random: () => number): [Operation, string][] =>
  listOperations(contracts)
    .flatMap((operation) => Object.keys(hostileTexts).map((text): [Operation, string] => [operation, text]))
    .map((pair) => ({ pair, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ pair }) => pair);

/**
 * Sends every operation texts that were made to be slow, at every place, until the time is up, and measures how long the
 * server's thread works for each, and the process, in which files are read by threads of their own: the processor's time,
 * so that a busy machine makes no difference.
 */
export async function findHolds({ app, random, forMs, least = 0, only = /./ }: HoldRequest) {
  const sender = openSender(app.url);
  const callers = createCallers(app.pool, contracts);
  const endMs = performance.now() + forMs;
  const held: string[] = [];
  let [requests, slowestMs, hardestMs] = [0, 0, 0];
  try {
    for (const [operation, text] of shuffle(random)) {
      for (const bytes of sizes)
        for (const hostile of listHostile(operation, text, bytes)) {
          if (performance.now() > endMs && requests >= least) return { requests, slowestMs, hardestMs, held };
          if (!only.test(hostile.name)) continue;
          const proof = await callers.prove("right", operation);
          const work = await measure(sender, { ...hostile, headers: { ...proof.headers, ...hostile.headers } });
          requests++;
          slowestMs = Math.max(slowestMs, work.thread);
          hardestMs = Math.max(hardestMs, work.process);
          if (isTooMuch(work)) held.push(`${hostile.name}: ${work.thread.toFixed(0)} of ${work.process.toFixed(0)} ms`);
        }
    }
    return { requests, slowestMs, hardestMs, held };
  } finally {
    await sender.close();
  }
}

interface Work {
  readonly thread: number;
  readonly process: number;
  /** Between two rounds of the loop, by the clock. */
  readonly round: number;
}

// What takes long in all, a file say, may do so in many rounds.
const isTooMuch = ({ thread, process: all, round }: Work): boolean =>
  (thread > mostMs.thread && round > mostMs.thread) || all > mostMs.process;

/** The milliseconds that are worked for an answer; what is too much is tried again, since it is so each time. */
async function measure(sender: Sender, hostile: Hostile): Promise<Work> {
  let least: Work = { thread: Infinity, process: Infinity, round: Infinity };
  const rounds = monitorEventLoopDelay({ resolution: 1 });
  for (let tries = 0; tries < 3 && isTooMuch(least); tries++) {
    const [thread, all] = [process.threadCpuUsage(), process.cpuUsage()];
    rounds.reset();
    rounds.enable();
    await sender.send(hostile);
    rounds.disable();
    least = {
      thread: Math.min(least.thread, toMs(process.threadCpuUsage(thread))),
      process: Math.min(least.process, toMs(process.cpuUsage(all))),
      round: Math.min(least.round, rounds.max / 1e6),
    };
  }
  return least;
}

const toMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;
