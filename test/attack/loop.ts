import { monitorEventLoopDelay } from "node:perf_hooks";
import { contracts } from "#quintet/app.ts";
import type { TestApp } from "#test/app.ts";
import { createCallers } from "#test/property/callers.ts";
import { listOperations, type Operation } from "#test/property/shot.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { openSender, type Sender } from "./sender.ts";
import { type Hostile, listHostile } from "./texts.ts";

export interface HoldRequest {
  /** The app under test must run in this process, since the test measures its thread's CPU time. */
  readonly app: Pick<TestApp, "url" | "pool">;
  readonly random: () => number;
  readonly forMs: number;
  readonly least?: number;
  readonly only?: RegExp;
}

// The small size comes first, since it already shows quadratic time without taking minutes.
const sizes = [32 * 1024, 1024 * 1024 - 4096] as const;

const mostMs = { thread: 100, process: 2000 } as const;

const shuffle = (random: () => number): [Operation, string][] =>
  listOperations(contracts)
    .flatMap((operation) => Object.keys(hostileTexts).map((text): [Operation, string] => [operation, text]))
    .map((pair) => ({ pair, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ pair }) => pair);

/**
 * Sends hostile texts to the operations, in their fields, headers, bodies and files, until the time is up or all are
 * sent. Measures the CPU time of each request in the server's thread, and in the process, whose other threads parse
 * files. CPU time does not depend on the machine's load.
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
  readonly round: number;
}

// The thread's CPU time counts only if a single iteration of the event loop took too long as well, since a long task,
// such as reading a file, may be spread over many iterations.
const isTooMuch = ({ thread, process: all, round }: Work): boolean =>
  (thread > mostMs.thread && round > mostMs.thread) || all > mostMs.process;

/** A high measurement is repeated up to twice, and the lowest counts, since real slowness recurs and noise does not. */
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
