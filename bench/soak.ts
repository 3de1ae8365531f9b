// Runs a soak test of the mix at half of a process's capacity. Every half minute, or ten times in a run of less than
// five minutes, it records the memory after garbage collection, the connections, and the outcomes of the calls. It
// exits with 1 after any refused or failed call, or on growth.
// `node bench/soak.ts [minutes] [calls a second]`; the default rate is half of what 32 callers achieve.
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { start } from "./child.ts";
import { openGround, signIn, startServer } from "./ground.ts";
import type { Held } from "./http-quintet.ts";
import { median, quantile } from "./measure.ts";
import { fillForMix, services } from "./mix.ts";
import type { Order, Outcome } from "./mixed-load.ts";

const minutes = Number(process.argv[2] ?? 20);
const givenRate = process.argv[3] === undefined ? undefined : Number(process.argv[3]);
const callers = 32;
const sampleMs = Math.min(30_000, (minutes * 60_000) / 10);
/**
 * The median of the last third of the samples may exceed that of the first third by `share`, plus `more` for the
 * variance between samples.
 */
const bounds = {
  rssMb: { share: 0.15, more: 20 },
  heapMb: { share: 0.1, more: 5 },
  externalMb: { share: 0.1, more: 20 },
  handles: { share: 0.1, more: 20 },
  connections: { share: 0, more: 5 },
} as const;
type Figure = keyof typeof bounds;

const ground = await openGround();
await fillForMix(ground.pool);
const server = await startServer(ground, {
  BENCH_SERVICE: services.join(","),
  STUDENT_IDENTITY: "header",
  RATE_LIMIT_OPEN: "1000000000",
});
const load = await start("./mixed-load.ts");
const token = await signIn(server.address);

async function send(rate: Order["rate"], durationMs: number): Promise<Outcome> {
  const done = once(load.child, "message");
  load.child.send({ addresses: [server.address], token, durationMs, rate } satisfies Order);
  return ((await done) as [Outcome])[0];
}

async function readFigures(): Promise<Record<Figure, number>> {
  const told = once(server.child, "message");
  server.child.send("held");
  const [held] = (await told) as [Held];
  const [row] = await ground.pool<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity where datname = current_database()`;
  return { ...held, connections: row?.count ?? 0 };
}

async function chooseRate(): Promise<number> {
  const { servedMs, tookMs } = await send({ callers }, 5000);
  return Math.round(servedMs.length / (tookMs / 1000) / 2);
}

// Before the JIT has compiled the code, a process has a tenth of its later throughput.
await send({ callers }, 5000);
const rate = givenRate ?? (await chooseRate());
console.log(`${minutes} minutes at ${rate} calls a second, one sample every ${sampleMs / 1000} s`);
const samples: Record<Figure, number>[] = [];
let failures = 0;
const endMs = performance.now() + minutes * 60_000;
while (performance.now() < endMs) {
  const { sent, servedMs, refusedMs, errors } = await send(rate, sampleMs);
  await delay(200);
  const figures = await readFigures();
  samples.push(figures);
  failures += sent - servedMs.length;
  const p99 = quantile(servedMs, 0.99);
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(1)}`);
  console.log(
    `${servedMs.length} served, ${refusedMs.length} refused, errors ${JSON.stringify(errors)}, p99 ${p99.toFixed(1)} ms; ${shown.join(", ")}`,
  );
}

// The first tenth of the samples is left out as the warm-up of JIT, connections and caches.
const warm = samples.slice(Math.ceil(samples.length / 10));
const third = Math.max(1, Math.floor(warm.length / 3));
let hasGrown = false;
for (const [name, { share, more }] of Object.entries(bounds) as [Figure, (typeof bounds)[Figure]][]) {
  const [first, last] = [warm.slice(0, third), warm.slice(-third)].map((part) => median(part.map((one) => one[name])));
  const most = (first ?? 0) * (1 + share) + more;
  const grew = (last ?? 0) > most;
  hasGrown ||= grew;
  console.log(
    `${name}: ${(first ?? 0).toFixed(1)} in the first third, ${(last ?? 0).toFixed(1)} in the last, at most ${most.toFixed(1)}${grew ? ": HAS GROWN" : ""}`,
  );
}
console.log(`${failures} calls refused or failed`);
await load.end();
await server.end();
await ground.end();
process.exitCode = failures > 0 || hasGrown ? 1 : 0;
