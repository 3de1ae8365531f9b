import { monitorEventLoopDelay } from "node:perf_hooks";
import { contracts } from "#quintet/app.ts";
import type { TestApp } from "#test/app.ts";
import { createCallers } from "#test/property/callers.ts";
import { listOperations, type Operation } from "#test/property/shot.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { openSender, type Sender } from "./sender.ts";
import { type Hostile, listHostile } from "./texts.ts";

export interface HoldRequest {
  /** An app in this process, whose thread's CPU time is measured. */
  readonly app: Pick<TestApp, "url" | "pool">;
  readonly random: () => number;
  readonly forMs: number;
  /** The minimum number of requests, regardless of the time. */
  readonly least?: number;
  /** Only requests whose name matches are sent. */
  readonly only?: RegExp;
}

// Quadratic cost shows at a small size, which keeps the test from hanging for minutes.
const sizes = [32 * 1024, 1024 * 1024 - 4096] as const;

const mostMs = { thread: 100, process: 2000 } as const;

/** All operations with all texts, in random order. */
const shuffle = (random: () => number): [Operation, string][] =>
  listOperations(contracts)
    .flatMap((operation) => Object.keys(hostileTexts).map((text): [Operation, string] => [operation, text]))
    .map((pair) => ({ pair, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ pair }) => pair);

/**
 * Sends quadratic-cost texts to every operation, in every place, until the time is up, and measures the CPU time per
 * request of the server's thread and of the process, whose other threads parse files. CPU time is independent of the
 * machine's load.
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
  /** Wall time between two event loop turns. */
  readonly round: number;
}

// A long task, such as a file, may be spread over many turns.
const isTooMuch = ({ thread, process: all, round }: Work): boolean =>
  (thread > mostMs.thread && round > mostMs.thread) || all > mostMs.process;

/** The CPU milliseconds of an answer; an excess is measured again, since a real one recurs. */
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
