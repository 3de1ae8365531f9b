import { Worker } from "node:worker_threads";
import { SpreadsheetError } from "#platform/spreadsheet/index.ts";
import type { SpreadsheetDetails, SpreadsheetProblem, SpreadsheetReason } from "#platform/spreadsheet/index.ts";
import type { ReadOrder } from "./parts.ts";
import type { ReadStep } from "./read-book.ts";

/** What the worker answers to each message it is sent. */
export type BookMessage =
  | { readonly kind: "step"; readonly step: ReadStep }
  | { readonly kind: "end" }
  | {
      readonly kind: "refusal";
      readonly problem: SpreadsheetProblem;
      readonly reason: SpreadsheetReason;
      readonly details: SpreadsheetDetails;
    }
  | { readonly kind: "failure"; readonly error: unknown };

// What is bounded elsewhere (shared strings, chunks, batches) lies off the heap; rows and caches take some 60 MB.
const MAX_HEAP_MB = 192;
// What the scanner makes is dead before the next chunk: a small nursery is as quick, and 60 MB less.
const MAX_NURSERY_MB = 8;
// Steps under way: the worker reads on while the last ones are being stored.
const CREDIT = 3;
// A step takes milliseconds. This is for a runtime that hangs at its memory ceiling, as Node 26 sometimes does.
const SILENCE_MS = 60_000;
const WORKER_FILE = new URL("./worker.ts", import.meta.url);

/**
 * Reads a workbook in a worker thread of bounded heap and yields its steps, asking for more only as they are
 * used. The worker ends with the loop, whichever way it ends.
 * Errors: what the worker refused; `SpreadsheetError` "memory" if it met its ceiling or fell silent; the
 * signal's reason.
 */
export async function* readInWorker(order: ReadOrder, signal: AbortSignal | undefined): AsyncGenerator<ReadStep> {
  signal?.throwIfAborted();
  const worker = new Worker(WORKER_FILE, {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_NURSERY_MB },
  });
  const inbox = openInbox(worker, signal);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread is no window
  const askForMore = (): void => worker.postMessage("more");
  try {
    for (let count = 0; count < CREDIT; count++) askForMore();
    for (;;) {
      const message = await inbox.next();
      if (message.kind === "end") return;
      if (message.kind === "failure") throw message.error;
      if (message.kind === "refusal") throw new SpreadsheetError(message.problem, message.reason, message.details);
      askForMore();
      yield message.step;
    }
  } finally {
    inbox.close();
    await worker.terminate();
  }
}

interface Inbox {
  next(): Promise<BookMessage>;
  close(): void;
}

const OUT_OF_MEMORY: BookMessage = { kind: "refusal", problem: "limit", reason: "memory", details: {} };

function openInbox(worker: Worker, signal: AbortSignal | undefined): Inbox {
  const messages: BookMessage[] = [];
  let wake = (): void => undefined;
  const take = (message: BookMessage): void => {
    messages.push(message);
    wake();
  };
  const stop = (): void => {
    messages.unshift({ kind: "failure", error: signal?.reason });
    wake();
  };
  worker.on("message", take);
  worker.on("error", (error: NodeJS.ErrnoException) =>
    take(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? OUT_OF_MEMORY : { kind: "failure", error }),
  );
  worker.on("exit", () => take({ kind: "failure", error: new Error("The reading worker ended early") }));
  signal?.addEventListener("abort", stop, { once: true });
  return {
    async next() {
      for (;;) {
        const message = messages.shift();
        if (message !== undefined) return message;
        const silence = setTimeout(() => take(OUT_OF_MEMORY), SILENCE_MS);
        await new Promise<void>((resolve) => (wake = resolve));
        clearTimeout(silence);
      }
    },
    close: () => signal?.removeEventListener("abort", stop),
  };
}
