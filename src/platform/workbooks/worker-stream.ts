import { parentPort, Worker } from "node:worker_threads";
import { type SpreadsheetDetails, SpreadsheetError, type SpreadsheetReason } from "./spreadsheet-error.ts";

type WorkerMessage =
  | { readonly kind: "piece"; readonly piece: unknown }
  | { readonly kind: "end" }
  | { readonly kind: "refusal"; readonly reason: SpreadsheetReason; readonly details: SpreadsheetDetails }
  | { readonly kind: "failure"; readonly error: unknown };

export interface WorkerPlan {
  readonly file: URL;
  readonly order: unknown;
  readonly maxHeapMb: number;
  readonly maxNurseryMb?: number;
  readonly prefetch: number;
  /**
   * The time that may pass without a message from the worker; by default one minute, while a piece takes milliseconds.
   */
  readonly idleTimeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

const outOfMemory: WorkerMessage = { kind: "refusal", reason: "memory", details: {} };

/**
 * Runs a worker and yields its pieces with back pressure. The worker has a heap limit and ends with the consuming loop.
 * Node 26 sometimes hangs at the heap limit, as seen with arrays filled in a tight loop, so the time without a message
 * is limited too.
 * @throws the worker's refusal or error, a `SpreadsheetError` "memory" at the heap limit or after too long a silence,
 * or the signal's reason
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
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the target is a worker thread and not a window
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
  worker.on("exit", () => take({ kind: "failure", error: new Error("the worker exited early") }));
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

export function servePieces<Piece>(
  pieces: AsyncIterator<Piece>,
  listMemory: (piece: Piece) => ArrayBuffer[] = () => [],
): void {
  const port = parentPort;
  if (port === null) throw new Error("servePieces must run in a worker thread");
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
