import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";

// Machines are noisy, so figures are medians of alternating rounds.

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

/**
 * Open-loop load: sends requests at random intervals, `rate` per second on average, regardless of response times, then
 * awaits the requests in flight.
 */
export async function sendAtRate(
  rate: number,
  isOver: (dueMs: number) => boolean,
  send: (dueMs: number) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  for (let dueMs = performance.now(); !isOver(dueMs); dueMs -= (Math.log(1 - Math.random()) / rate) * 1000) {
    const earlyMs = dueMs - performance.now();
    if (earlyMs > 0) await delay(earlyMs);
    const one = send(dueMs).finally(() => underWay.delete(one));
    underWay.add(one);
  }
  await Promise.all(underWay);
}

export interface Shot {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Closed-loop load: each of a fixed number of connections sends its next request after the last response. Returns
 * responses per second; rejects if a request fails.
 */
export async function countPerSecond(
  shot: Shot | (() => Shot),
  connections: number,
  durationMs: number,
): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const end = performance.now() + durationMs;
  let answers = 0;
  const started = performance.now();
  const worker = async () => {
    while (performance.now() < end) {
      await shoot(typeof shot === "function" ? shot() : shot, agent);
      answers++;
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  agent.destroy();
  return answers / ((performance.now() - started) / 1000);
}

export function shoot({ url, method, headers, body }: Shot, agent?: http.Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const length: Record<string, string> =
      body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const request = http.request(
      url,
      { method, headers: { ...headers, ...length }, ...(agent ? { agent } : {}) },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () =>
          response.statusCode === 200 ? resolve(text) : reject(new Error(`HTTP ${response.statusCode}: ${text}`)),
        );
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

export async function timeMs(work: () => Promise<unknown>, rounds: number): Promise<number> {
  for (let warm = 0; warm < 8; warm++) await work();
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return median(times);
}
