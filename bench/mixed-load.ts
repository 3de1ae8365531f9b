// Sends the calls of the mix at a rate, or from a number of callers in a closed loop. At a rate, each call is timed
// from when it was due, which avoids the coordinated omission of a closed loop. The parent controls this process by
// messages.
import { Agent } from "undici";
import { sendAtRate } from "./measure.ts";
import { type Call, openMix } from "./mix.ts";

export interface Order {
  readonly addresses: readonly string[];
  readonly token: string;
  readonly durationMs: number;
  readonly rate: number | { readonly callers: number };
}

export interface Outcome {
  readonly sent: number;
  readonly servedMs: number[];
  readonly refusedMs: number[];
  readonly errors: Readonly<Record<string, number>>;
  /** The maximum number of concurrent calls, including calls that wait for a connection. */
  readonly most: number;
  readonly cpuMs: number;
  readonly tookMs: number;
}

// A connection carries one request at a time, as with browsers and proxies; further requests wait, and their waiting
// time counts. A server allows 2,000 connections (MAX_CONNECTIONS) and closes idle ones above 90 % of that number.
const connections = 1700;
const agent = new Agent({ connections, pipelining: 1, headersTimeout: 30_000, bodyTimeout: 30_000 });

async function run({ addresses, token, durationMs, rate }: Order): Promise<Outcome> {
  const nextCall = openMix(token);
  await openConnections(addresses);
  const servedMs: number[] = [];
  const refusedMs: number[] = [];
  const errors: Record<string, number> = {};
  let [sent, underWay, most] = [0, 0, 0];
  const send = async (dueMs: number): Promise<void> => {
    most = Math.max(most, ++underWay);
    const told = await shoot(addresses[sent++ % addresses.length] ?? "", nextCall());
    underWay--;
    const tookMs = performance.now() - dueMs;
    if (told === "200") servedMs.push(tookMs);
    else if (told === "503") refusedMs.push(tookMs);
    else errors[told] = (errors[told] ?? 0) + 1;
  };
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  if (typeof rate === "number") await sendAtRate(rate, (dueMs) => dueMs >= startMs + durationMs, send);
  else await sendInTurn(rate.callers, durationMs, send);
  const { user, system } = process.cpuUsage(cpu);
  const tookMs = performance.now() - startMs;
  return { sent, servedMs, refusedMs, errors, most, cpuMs: (user + system) / 1000, tookMs };
}

/**
 * All connections are opened in advance, as a proxy does. A server accepts about three new connections per millisecond,
 * so opening hundreds during the measurement would delay every answer.
 */
async function openConnections(addresses: readonly string[]): Promise<void> {
  const asks = addresses.flatMap((address) =>
    Array.from({ length: connections }, () => shoot(address, { path: "/livez", method: "GET", headers: {} })),
  );
  await Promise.all(asks);
}

async function shoot(address: string, { path, method, headers, body }: Call): Promise<string> {
  try {
    const answer = await agent.request({ origin: address, path, method, headers, body: body ?? null });
    await answer.body.dump({ limit: 2 ** 26 });
    return String(answer.statusCode);
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error);
  }
}

async function sendInTurn(callers: number, durationMs: number, send: (dueMs: number) => Promise<void>): Promise<void> {
  const endMs = performance.now() + durationMs;
  const caller = async () => {
    while (performance.now() < endMs) await send(performance.now());
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

process.on("message", (order: Order) => void run(order).then((outcome) => process.send?.(outcome)));
process.once("SIGTERM", () => process.exit(0));
process.send?.("ready");
