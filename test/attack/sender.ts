import { once } from "node:events";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { exchange } from "#test/property/exchange.ts";
import type { Hostile } from "./texts.ts";

// A second thread sends the requests, so that this thread's CPU time is the server's alone.

export type Sent = Pick<Hostile, "method" | "path" | "headers" | "body">;

export type Sender = ReturnType<typeof openSender>;

export function openSender(url: string) {
  const worker = new Worker(new URL(import.meta.url), { workerData: url });
  return {
    async send(wire: Sent): Promise<number> {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the target is a worker thread and not a window
      worker.postMessage(wire);
      const [status] = (await once(worker, "message")) as [number];
      return status;
    },
    close: async () => void (await worker.terminate()),
  };
}

const port = parentPort;
const answer = async (wire: Sent): Promise<void> => {
  const outcome = await exchange(String(workerData), wire);
  port?.postMessage(typeof outcome === "string" ? 0 : outcome.status);
};
port?.on("message", (wire: Sent) => void answer(wire));
