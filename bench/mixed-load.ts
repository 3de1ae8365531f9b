// Sends the mix at a rate that does not ask how fast the answers come, as people do: each call is timed from when it was
// due, also when the one before it is late (what a closed loop leaves out). A process of its own; its parent sends what it
// is to do and gets what came of it.
import { Agent } from "undici";
import { sendAtRate } from "./measure.ts";
import { type Call, openMix } from "./mix.ts";

export interface Order {
  /** Who take the calls in turn. */
  readonly addresses: readonly string[];
  readonly token: string;
  readonly durationMs: number;
  /** Calls a second; "closed": as many callers as that one after another, each as fast as it is answered. */
  readonly rate: number | { readonly callers: number };
}

export interface Outcome {
  readonly sent: number;
  readonly servedMs: number[];
  readonly refusedMs: number[];
  readonly errors: Readonly<Record<string, number>>;
  /** Under way at once, waiting for a connection included. */
  readonly most: number;
  readonly cpuMs: number;
  readonly tookMs: number;
}

// One request at a time on each, as browsers and proxies do; what comes beyond waits here, and its wait counts. A process
// keeps 2,000 (MAX_CONNECTIONS), and closes idle ones from nine tenths on.
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
 * As many as there may be, as a proxy holds them. Hundreds that are opened in one moment are taken at some three in a
 * millisecond, and what they ask for waits for so long, a refusal as well.
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
