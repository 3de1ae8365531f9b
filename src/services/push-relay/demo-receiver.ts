import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export interface DemoReceiver {
  readonly url: string;
  /** Waits until so many events have come to the path, or the time is up; returns how many there are. */
  waitFor(path: string, count: number, patienceMs: number): Promise<number>;
  close(): Promise<void>;
}

const lookAgainMs = 20;

/** A project's address on this machine, which takes whatever comes and counts each event once, as receivers should. */
export async function openDemoReceiver(): Promise<DemoReceiver> {
  const received = new Map<string, Set<string>>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const seen = received.get(path) ?? new Set();
    received.set(path, seen.add(String(request.headers["webhook-id"])));
    request.resume().on("end", () => response.writeHead(204).end());
  });
  server.listen(0, "127.0.0.1");
  // It keeps no process from ending.
  server.unref();
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const countAt = (path: string) => received.get(path)?.size ?? 0;
  const waitFor = async (path: string, count: number, patienceMs: number) => {
    const endMs = performance.now() + patienceMs;
    while (countAt(path) < count && performance.now() < endMs) await delay(lookAgainMs);
    return countAt(path);
  };
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${port}`, waitFor, close };
}
