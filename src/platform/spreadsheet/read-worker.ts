import { parentPort, workerData } from "node:worker_threads";
import { SpreadsheetError } from "./spreadsheet-error.ts";
import { readTableBatches } from "./table-batches.ts";
import type { WorkerMessage } from "./worker-stream.ts";
import type { TableOrder } from "./table-batches.ts";

/** The far side of `streamFromWorker`: sends a batch for each message that asks for one. */
async function serveBatches(order: TableOrder): Promise<void> {
  const batches = readTableBatches(order);
  const port = parentPort;
  if (port === null) throw new Error("read-worker.ts runs in a worker thread only");
  port.on("message", () => {
    batches.next().then(
      (result) => port.postMessage(toMessage(result)),
      (error: unknown) => port.postMessage(toFailure(error)),
    );
  });
}

function toMessage(result: IteratorResult<unknown>): WorkerMessage {
  return result.done ? { kind: "end" } : { kind: "batch", json: JSON.stringify(result.value) };
}

function toFailure(error: unknown): WorkerMessage {
  if (error instanceof SpreadsheetError) {
    return { kind: "refusal", problem: error.kind, reason: error.reason, details: error.details };
  }
  return { kind: "failure", error };
}

// oxlint-disable-next-line no-unsafe-type-assertion -- read-table.ts is the only one to start this file
await serveBatches(workerData as TableOrder);
