import { parentPort } from "node:worker_threads";
import { SpreadsheetError } from "./spreadsheet-error.ts";
import type { WorkerMessage } from "./worker-stream.ts";

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
      (result) =>
        result.done ? send({ kind: "end" }) : send({ kind: "piece", piece: result.value }, listMemory(result.value)),
      (error: unknown) => send(toFailure(error)),
    );
  });
}

function toFailure(error: unknown): WorkerMessage {
  if (!(error instanceof SpreadsheetError)) return { kind: "failure", error };
  return { kind: "refusal", problem: error.kind, reason: error.reason, details: error.details };
}
