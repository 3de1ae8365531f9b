import { once } from "node:events";
import { Agent, request } from "node:http";
import { parentPort, Worker, workerData } from "node:worker_threads";
import type { Hostile } from "./texts.ts";

// Sends requests from a thread of its own, so that what the server's thread does is the server's alone.

export type Sent = Pick<Hostile, "method" | "path" | "headers" | "body">;

export interface Sender {
  /** The status of the answer, all of which is read; 0 when the connection was ended. */
  send(wire: Sent): Promise<number>;
  close(): Promise<void>;
}

export function openSender(url: string): Sender {
  const worker = new Worker(new URL(import.meta.url), { workerData: url });
  return {
    async send(wire) {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread is no window
      worker.postMessage(wire);
      const [status] = (await once(worker, "message")) as [number];
      return status;
    },
    close: async () => void (await worker.terminate()),
  };
}

const port = parentPort;
if (port !== null) {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port: serverPort } = new URL(String(workerData));
  port.on("message", ({ method, path, headers, body }: Sent) => {
    const length = body || method !== "GET" ? { "content-length": String(body?.length ?? 0) } : {};
    let told = false;
    const tell = (status: number): void => {
      if (!told) port.postMessage(status);
      told = true;
    };
    const sent = request({ agent, hostname, port: serverPort, method, path, headers: { ...length, ...headers } });
    sent.on("response", (response) => {
      response.resume();
      // A stream of events has no end.
      if (response.headers["content-type"]?.startsWith("text/event-stream")) response.destroy();
      response.on("error", () => undefined);
      response.on("close", () => tell(response.statusCode ?? 0));
    });
    sent.on("error", () => tell(0));
    sent.end(body);
  });
}
