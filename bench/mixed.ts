// Measures the mix at rising load with 1, 2 and 4 processes on one PostgreSQL: the knee, and the behaviour beyond it.
// Load generator, servers and PostgreSQL share the machine; the table shows the cores used by each. The same run
// measures the mix in a closed loop, and the baseline: the mix's bare statements without HTTP.
// `node bench/mixed.ts [processes, separated by commas] [seconds a step] [rates, separated by commas]`; with
// BEFORE=<folder>, the server of another checkout is measured on the same database as well.
import { once } from "node:events";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { openPool } from "#platform/database/index.ts";
import { start, type Started } from "./child.ts";
import { findPostmaster, readCpuMs, readPostgresCpuMs } from "./cpu.ts";
import { type Ground, openGround, type Server, signIn, startServer } from "./ground.ts";
import { quantile } from "./measure.ts";
import { fillForMix, openBareMix, services } from "./mix.ts";
import type { Order, Outcome } from "./mixed-load.ts";

const processCounts = (process.argv[2] ?? "1,2,4").split(",").map(Number);
const stepMs = Number(process.argv[3] ?? 4) * 1000;
const givenRates = process.argv[4]?.split(",").map(Number);
const before = process.env["BEFORE"];
const callers = 32;
const shares = [0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 3];
/**
 * The knee is the step before the first in which a call is refused or fails, or the 99th percentile reaches this
 * multiple of the first step's.
 */
const kneeFactor = 10;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

interface Contender {
  readonly name: string;
  readonly servers: readonly Server[];
  readonly token: string;
}

interface Step {
  readonly rate: number;
  readonly served: number;
  readonly refused: number;
  readonly errors: number;
  readonly p50: number;
  readonly p99: number;
  readonly refusedP99: number;
}

const ground = await openGround();
await fillForMix(ground.pool);
const postmaster = await findPostmaster(ground.pool);
const load: Started = await start("./mixed-load.ts");

async function send(order: Order): Promise<Outcome> {
  const done = once(load.child, "message");
  load.child.send(order);
  return ((await done) as [Outcome])[0];
}

async function startContender(name: string, count: number, file?: string): Promise<Contender> {
  const env = { BENCH_SERVICE: services.join(","), STUDENT_IDENTITY: "header", RATE_LIMIT_OPEN: "1000000000" };
  const servers: Server[] = [];
  for (let index = 0; index < count; index++) servers.push(await startServer(ground, env, file));
  return { name, servers, token: await signIn(servers[0]?.address ?? "") };
}

const orderOf = ({ servers, token }: Contender, rate: Order["rate"], durationMs: number): Order => ({
  addresses: servers.map(({ address }) => address),
  token,
  durationMs,
  rate,
});

async function runStep(contender: Contender, rate: number): Promise<Step> {
  const readCpu = () =>
    [sum(contender.servers.map(({ pid }) => readCpuMs(pid))), readPostgresCpuMs(postmaster)] as const;
  const [node, postgres] = readCpu();
  const { sent, servedMs, refusedMs, errors, most, cpuMs, tookMs } = await send(orderOf(contender, rate, stepMs));
  const [nodeAfter, postgresAfter] = readCpu();
  const cores = [nodeAfter - node, postgresAfter - postgres, cpuMs].map((ms) => (ms / tookMs).toFixed(2));
  const step: Step = {
    rate,
    served: servedMs.length / (tookMs / 1000),
    refused: refusedMs.length,
    errors: sum(Object.values(errors)),
    p50: quantile(servedMs, 0.5),
    p99: quantile(servedMs, 0.99),
    refusedP99: quantile(refusedMs, 0.99),
  };
  const ms = (value: number) => (Number.isNaN(value) ? "-" : value.toFixed(1)).padStart(8);
  const seconds = tookMs / 1000;
  console.log(
    `  ${(sent / seconds).toFixed(0).padStart(7)} ${step.served.toFixed(0).padStart(7)} ${(step.refused / seconds).toFixed(0).padStart(8)} ${String(step.errors).padStart(6)} ${ms(step.p50)} ${ms(step.p99)} ${ms(step.refusedP99)} ${String(most).padStart(6)}   ${cores.join(" / ")}${step.errors > 0 ? ` ${JSON.stringify(errors)}` : ""}`,
  );
  return step;
}

async function measureFloor({ url }: Ground, durationMs: number): Promise<number> {
  const pool = openPool(url, { connections: 10 });
  const next = openBareMix();
  const startMs = performance.now();
  let done = 0;
  const caller = async () => {
    for (; performance.now() - startMs < durationMs; done++) await next()(pool);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  await pool.end();
  return done / (durationMs / 1000);
}

async function measure(contender: Contender): Promise<void> {
  await send(orderOf(contender, { callers }, 2000));
  const closed = await send(orderOf(contender, { callers }, stepMs));
  const perSecond = closed.servedMs.length / (closed.tookMs / 1000);
  const floor = await measureFloor(ground, stepMs);
  console.log(
    `\n${contender.name}, ${contender.servers.length} process(es): ${callers} callers ${perSecond.toFixed(0)}/s, single statements ${floor.toFixed(0)}/s`,
  );
  console.log(
    "  offered  served  refused errors  p50 ms   p99 ms  refused p99   most   cores: node / PostgreSQL / generator",
  );
  const steps: Step[] = [];
  for (const rate of givenRates ?? shares.map((share) => Math.round(share * perSecond)))
    steps.push(await runStep(contender, rate));
  tellKnee(steps, floor);
}

function tellKnee(steps: readonly Step[], floor: number): void {
  const unloaded = steps[0]?.p99 ?? 0;
  const holds = ({ p99, refused, errors }: Step) => p99 < kneeFactor * unloaded && refused + errors === 0;
  const first = steps.findIndex((step) => !holds(step));
  const knee = steps[(first < 0 ? steps.length : first) - 1];
  if (!knee) return console.log("  no step without refusals");
  const beyond = steps.slice(steps.indexOf(knee) + 1);
  console.log(
    `  knee ${knee.served.toFixed(0)}/s, p99 ${knee.p99.toFixed(1)} ms; of the single statements ${(knee.served / floor).toFixed(2)}; beyond it served at least ${(Math.min(...beyond.map(({ served }) => served)) / knee.served).toFixed(2)} of the knee, p99 at most ${Math.max(...beyond.map(({ p99 }) => p99)).toFixed(0)} ms, refusals' p99 at most ${Math.max(0, ...beyond.map(({ refusedP99 }) => refusedP99).filter((ms) => !Number.isNaN(ms))).toFixed(0)} ms`,
  );
}

for (const count of processCounts) {
  const files = before === undefined ? [] : [pathToFileURL(path.resolve(before, "bench/http-quintet.ts")).href];
  for (const file of [...files, undefined]) {
    const contender = await startContender(file === undefined ? "quintet" : "before", count, file);
    await measure(contender);
    for (const { end } of contender.servers) await end();
  }
}
await load.end();
await ground.end();
