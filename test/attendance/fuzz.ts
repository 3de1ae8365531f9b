import { Worker } from "node:worker_threads";

export interface FuzzOrder {
  readonly seed: number;
  readonly rounds: number;
}

export type FuzzReport =
  | { readonly kind: "begun"; readonly round: number; readonly read: number; readonly refused: number }
  | { readonly kind: "finished"; readonly read: number; readonly refused: number };

export interface FuzzResult {
  readonly read: number;
  readonly refused: number;
  readonly slowestMs: number;
}

const limitMs = 10_000;

/**
 * Round n with seed s equals round 0 with seed s + n, so a failing round can be reproduced alone.
 * @throws an error with the seed, for an unexpected error, rows that COPY would reject, a timeout, or an early end
 */
export async function fuzzWorkbooks(order: FuzzOrder): Promise<FuzzResult> {
  const worker = new Worker(new URL("./fuzz-worker.ts", import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  try {
    return await watch(worker, order.seed);
  } finally {
    await worker.terminate();
  }
}

function watch(worker: Worker, seed: number): Promise<FuzzResult> {
  return new Promise((resolve, reject) => {
    let [round, slowestMs, begunAt, hasBegun] = [0, 0, performance.now(), false];
    let timer: NodeJS.Timeout | undefined;
    worker.on("message", (report: FuzzReport) => {
      clearTimeout(timer);
      if (hasBegun) slowestMs = Math.max(slowestMs, performance.now() - begunAt);
      if (report.kind === "finished") {
        resolve({ read: report.read, refused: report.refused, slowestMs });
        return;
      }
      [round, begunAt, hasBegun] = [report.round, performance.now(), true];
      timer = setTimeout(() => reject(new Error(`seed ${seed + round}: still reading after ${limitMs} ms`)), limitMs);
    });
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error(`seed ${seed + round}: the worker ended early`)));
  });
}
