import { parentPort, Worker } from "node:worker_threads";
import { type SpreadsheetDetails, SpreadsheetError, type SpreadsheetReason } from "./spreadsheet-error.ts";

/** What a reading worker answers to each message it is sent. */
type WorkerMessage =
  | { readonly kind: "piece"; readonly piece: unknown }
  | { readonly kind: "end" }
  | { readonly kind: "refusal"; readonly reason: SpreadsheetReason; readonly details: SpreadsheetDetails }
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
  readonly prefetch: number;
  /** How long the worker may say nothing; default a minute, and a piece takes milliseconds. */
  readonly idleTimeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

const outOfMemory: WorkerMessage = { kind: "refusal", reason: "memory", details: {} };

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
    for (let count = 0; count < plan.prefetch; count++) askForMore();
    for (;;) {
      const message = await inbox.next();
      if (message.kind === "end") return;
      if (message.kind === "failure") throw message.error;
      if (message.kind === "refusal") throw new SpreadsheetError(message.reason, message.details);
      askForMore();
      yield message.piece as Piece;
    }
  } finally {
    inbox.close();
    await worker.terminate();
  }
}

function openInbox(worker: Worker, { signal, idleTimeoutMs = 60_000 }: WorkerPlan) {
  const messages: WorkerMessage[] = [];
  let wake = (): void => undefined;
  const take = (message: WorkerMessage): void => {
    messages.push(message);
    wake();
  };
  const stop = (): void => {
    messages.length = 0;
    take({ kind: "failure", error: signal?.reason });
  };
  worker.on("message", take);
  worker.on("error", (error: NodeJS.ErrnoException) =>
    take(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? outOfMemory : { kind: "failure", error }),
  );
  worker.on("exit", () => take({ kind: "failure", error: new Error("The reading worker ended early") }));
  signal?.addEventListener("abort", stop, { once: true });
  return {
    async next(): Promise<WorkerMessage> {
      for (;;) {
        const message = messages.shift();
        if (message !== undefined) return message;
        const silence = setTimeout(() => take(outOfMemory), idleTimeoutMs);
        await new Promise<void>((resolve) => (wake = resolve));
        clearTimeout(silence);
      }
    },
    close: () => signal?.removeEventListener("abort", stop),
  };
}

/**
 * The far side of `streamFromWorker`: sends a piece for each message that asks for one.
 * @param listMemory what of a piece changes threads without a copy
 */
export function servePieces<Piece>(
  pieces: AsyncIterator<Piece>,
  listMemory: (piece: Piece) => ArrayBuffer[] = () => [],
): void {
  const port = parentPort;
  if (port === null) throw new Error("there is nobody to serve outside a worker thread");
  const send = (message: WorkerMessage, memory: ArrayBuffer[] = []): void => port.postMessage(message, memory);
  port.on("message", () => {
    pieces.next().then(
      ({ done, value }) => (done ? send({ kind: "end" }) : send({ kind: "piece", piece: value }, listMemory(value))),
      (error: unknown) =>
        send(
          error instanceof SpreadsheetError
            ? { kind: "refusal", reason: error.reason, details: error.details }
            : { kind: "failure", error },
        ),
    );
  });
}
