import { Worker } from "node:worker_threads";

export interface FuzzOrder {
  readonly seed: number;
  readonly rounds: number;
  /** Milliseconds since 1970; no round begins later. */
  readonly endsAt: number;
}

export type FuzzReport =
  | { readonly kind: "begun"; readonly round: number; readonly read: number; readonly refused: number }
  | { readonly kind: "finished"; readonly read: number; readonly refused: number };

export interface FuzzResult {
  /** Workbooks that were read in spite of what was done to them. */
  readonly read: number;
  readonly refused: number;
  readonly slowestMs: number;
}

export interface FuzzRequest {
  readonly seed: number;
  readonly rounds?: number;
  readonly forMs?: number;
  /** No workbook of this size may take longer. */
  readonly limitMs?: number;
}

/**
 * Reads mutated workbooks until so many rounds or so much time is over. Round n of seed s is round 0 of seed
 * s + n, so a failure can be run again alone.
 * @throws an error that names the seed, for a crash, rows that COPY would refuse, or a workbook that takes longer than the limit.
 */
export async function fuzzWorkbooks({
  seed,
  rounds = Number.MAX_SAFE_INTEGER,
  forMs = 3_600_000,
  limitMs = 10_000,
}: FuzzRequest): Promise<FuzzResult> {
  const order: FuzzOrder = { seed, rounds, endsAt: Date.now() + forMs };
  const worker = new Worker(new URL("./fuzz-worker.ts", import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  try {
    return await watch(worker, seed, limitMs);
  } finally {
    await worker.terminate();
  }
}

function watch(worker: Worker, seed: number, limitMs: number): Promise<FuzzResult> {
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
