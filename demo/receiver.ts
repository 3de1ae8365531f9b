import { setTimeout as delay } from "node:timers/promises";
import { type LocalServer, openLocalServer } from "./local-server.ts";

export interface DemoReceiver extends LocalServer {
  /** Waits until so many events have come to the path, or the time is up; returns how many there are. */
  waitFor(path: string, count: number, patienceMs: number): Promise<number>;
}

const lookAgainMs = 20;

/** A project's address on this machine, which takes whatever comes and counts each event once, as receivers should. */
export async function openDemoReceiver(): Promise<DemoReceiver> {
  const received = new Map<string, Set<string>>();
  const server = await openLocalServer((request, response) => {
    const path = request.url ?? "";
    const seen = received.get(path) ?? new Set();
    received.set(path, seen.add(String(request.headers["webhook-id"])));
    request.resume().on("end", () => response.writeHead(204).end());
  });
  const countAt = (path: string) => received.get(path)?.size ?? 0;
  const waitFor = async (path: string, count: number, patienceMs: number) => {
    const endMs = performance.now() + patienceMs;
    while (countAt(path) < count && performance.now() < endMs) await delay(lookAgainMs);
    return countAt(path);
  };
  return { ...server, waitFor };
}
