import { Worker } from "node:worker_threads";
import { SpreadsheetError } from "./spreadsheet-error.ts";
import type { SpreadsheetDetails, SpreadsheetProblem, SpreadsheetReason } from "./spreadsheet-error.ts";

/** What a reading worker answers to each message it is sent. */
export type WorkerMessage =
  | { readonly kind: "piece"; readonly piece: unknown }
  | { readonly kind: "end" }
  | {
      readonly kind: "refusal";
      readonly problem: SpreadsheetProblem;
      readonly reason: SpreadsheetReason;
      readonly details: SpreadsheetDetails;
    }
  | { readonly kind: "failure"; readonly error: unknown };

export interface WorkerPlan {
  /** The program of the worker, which serves its pieces by `servePieces`. */
  readonly file: URL;
  /** What it finds as `workerData`. */
  readonly order: unknown;
  readonly maxHeapMb: number;
  /** Default: the runtime's own. */
  readonly maxNurseryMb?: number;
  /** How many pieces the worker may make while one is being used. */
  readonly ahead: number;
  /** How long the worker may say nothing; default a minute, and a piece takes milliseconds. */
  readonly silenceMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a reading worker and yields its pieces, asking for more only as they are used. The worker's heap is bounded, and
 * the worker ends with the loop that reads from it, whichever way that ends. Node 26 sometimes hangs at the bound (seen
 * with arrays filled in a tight loop): therefore the limit of silence, and whatever runs in the worker must bound what it
 * keeps by itself.
 * Errors: what the worker refused; `SpreadsheetError` "memory" if it met the bound or fell silent; the signal's reason.
 */
export async function* streamFromWorker<Piece>(plan: WorkerPlan): AsyncGenerator<Piece> {
  plan.signal?.throwIfAborted();
  const { maxHeapMb, maxNurseryMb } = plan;
  const worker = new Worker(plan.file, {
    workerData: plan.order,
    resourceLimits: {
      maxOldGenerationSizeMb: maxHeapMb,
      ...(maxNurseryMb === undefined ? {} : { maxYoungGenerationSizeMb: maxNurseryMb }),
    },
  });
  const inbox = openInbox(worker, plan);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread is no window
  const askForMore = (): void => worker.postMessage("more");
  try {
    for (let count = 0; count < plan.ahead; count++) askForMore();
    for (;;) {
      const message = await inbox.next();
      if (message.kind === "end") return;
      if (message.kind === "failure") throw message.error;
      if (message.kind === "refusal") throw new SpreadsheetError(message.problem, message.reason, message.details);
      askForMore();
      yield message.piece as Piece;
    }
  } finally {
    inbox.close();
    await worker.terminate();
  }
}

interface Inbox {
  next(): Promise<WorkerMessage>;
  close(): void;
}

const outOfMemory: WorkerMessage = { kind: "refusal", problem: "limit", reason: "memory", details: {} };

function openInbox(worker: Worker, { signal, silenceMs = 60_000 }: WorkerPlan): Inbox {
  const messages: WorkerMessage[] = [];
  let wake = (): void => undefined;
  const take = (message: WorkerMessage): void => {
    messages.push(message);
    wake();
  };
  const stop = (): void => {
    messages.unshift({ kind: "failure", error: signal?.reason });
    wake();
  };
  worker.on("message", take);
  worker.on("error", (error: NodeJS.ErrnoException) => take(toFailure(error)));
  worker.on("exit", () => take({ kind: "failure", error: new Error("The reading worker ended early") }));
  signal?.addEventListener("abort", stop, { once: true });
  return {
    async next() {
      for (;;) {
        const message = messages.shift();
        if (message !== undefined) return message;
        const silence = setTimeout(() => take(outOfMemory), silenceMs);
        await new Promise<void>((resolve) => (wake = resolve));
        clearTimeout(silence);
      }
    },
    close: () => signal?.removeEventListener("abort", stop),
  };
}

const toFailure = (error: NodeJS.ErrnoException): WorkerMessage =>
  error.code === "ERR_WORKER_OUT_OF_MEMORY" ? outOfMemory : { kind: "failure", error };
