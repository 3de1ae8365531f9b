import { Worker } from "node:worker_threads";
import { SpreadsheetError } from "./spreadsheet-error.ts";
import type { SpreadsheetDetails, SpreadsheetProblem, SpreadsheetReason } from "./spreadsheet-error.ts";

/**
 * What a reading worker answers to each message it is sent. A batch crosses as JSON text: 300,000 rows of
 * 16 columns take 3.2 s in all so, and 4.2 s as objects, which V8 would copy value by value.
 */
export type WorkerMessage =
  | { readonly kind: "batch"; readonly json: string }
  | { readonly kind: "end" }
  | {
      readonly kind: "refusal";
      readonly problem: SpreadsheetProblem;
      readonly reason: SpreadsheetReason;
      readonly details: SpreadsheetDetails;
    }
  | { readonly kind: "failure"; readonly error: unknown };

// Two batches under way: the worker parses one while the other is being used.
const CREDIT = 2;

/**
 * Runs a reading worker (see read-worker.ts) and yields its batches, asking for the next only as they
 * are used. The worker's heap is bounded, and the worker ends with the loop that reads from it. The bound
 * is the second line only: Node 26 sometimes hangs at it (seen with arrays filled in a tight loop), so
 * whatever runs in the worker must bound what it keeps by itself.
 * Errors: what the worker refused; `SpreadsheetError` "memory" if it met the bound.
 */
export async function* streamFromWorker<Batch>(file: URL, order: unknown, maxHeapMb: number): AsyncGenerator<Batch> {
  const worker = new Worker(file, {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
  const inbox = openInbox(worker);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread is no window
  const askForMore = (): void => worker.postMessage("more");
  try {
    for (let count = 0; count < CREDIT; count++) askForMore();
    for (;;) {
      const message = await inbox.next();
      if (message.kind === "end") return;
      if (message.kind === "failure") throw message.error;
      if (message.kind === "refusal") throw new SpreadsheetError(message.problem, message.reason, message.details);
      yield JSON.parse(message.json) as Batch;
      askForMore();
    }
  } finally {
    await worker.terminate();
  }
}

type Inbox = { next(): Promise<WorkerMessage> };

function openInbox(worker: Worker): Inbox {
  const messages: WorkerMessage[] = [];
  let wake = (): void => undefined;
  const take = (message: WorkerMessage): void => {
    messages.push(message);
    wake();
  };
  worker.on("message", take);
  worker.on("error", (error: NodeJS.ErrnoException) => take(toFailure(error)));
  worker.on("exit", () => take({ kind: "failure", error: new Error("The reading worker ended early") }));
  return {
    async next() {
      for (;;) {
        const message = messages.shift();
        if (message !== undefined) return message;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

function toFailure(error: NodeJS.ErrnoException): WorkerMessage {
  if (error.code !== "ERR_WORKER_OUT_OF_MEMORY") return { kind: "failure", error };
  return { kind: "refusal", problem: "limit", reason: "memory", details: {} };
}
