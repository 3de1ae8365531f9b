import { parentPort, workerData } from "node:worker_threads";
import { SpreadsheetError } from "#platform/spreadsheet/index.ts";
import { readBook } from "./read-book.ts";
import type { ReadOrder } from "./parts.ts";
import type { ReadStep } from "./read-book.ts";
import type { BookMessage } from "./worker-reading.ts";

/** The far side of `readInWorker`: sends a step for each message that asks for one. */
async function serveSteps(order: ReadOrder): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error("worker.ts runs in a worker thread only");
  const steps = readBook(order);
  port.on("message", () => {
    steps.next().then(
      (result) => sendStep(result),
      (error: unknown) => port.postMessage(toFailure(error)),
    );
  });
  function sendStep(result: IteratorResult<ReadStep>): void {
    if (result.done) port?.postMessage({ kind: "end" } satisfies BookMessage);
    else port?.postMessage({ kind: "step", step: result.value } satisfies BookMessage, listBytes(result.value));
  }
}

// The bytes of COPY text change threads without a copy.
function listBytes(step: ReadStep): ArrayBuffer[] {
  return step.parts.flatMap((part) => (part.kind === "copy" ? [part.text.buffer as ArrayBuffer] : []));
}

function toFailure(error: unknown): BookMessage {
  if (!(error instanceof SpreadsheetError)) return { kind: "failure", error };
  return { kind: "refusal", problem: error.kind, reason: error.reason, details: error.details };
}

// oxlint-disable-next-line no-unsafe-type-assertion -- worker-reading.ts is the only one to start this file
await serveSteps(workerData as ReadOrder);
