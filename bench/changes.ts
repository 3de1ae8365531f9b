// Measures the cost of screens that follow changes: the idle load of the database without and with screens,
// alternating, and the latency until a change reaches all screens.
// `node bench/changes.ts [screens] [seconds a round] [rounds]`
import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { openGround, startServer } from "./ground.ts";
import { median } from "./measure.ts";

const screens = Number(process.argv[2] ?? 200);
const roundMs = Number(process.argv[3] ?? 10) * 1000;
const rounds = Number(process.argv[4] ?? 3);
const changes = 20;

const ground = await openGround();
const server = await startServer(ground, { BENCH_SERVICE: "disease-command" });
const { address } = server;

let told = 0;
let allTold = (): void => {};

function follow(): Promise<http.ClientRequest> {
  return new Promise((resolve, reject) => {
    const request = http.get(`${address}/disease-command/changes`, { agent: false }, (response) => {
      response.setEncoding("utf8").on("data", (text: string) => {
        told += text.split("data: ").length - 1;
        if (told >= screens) allTold();
      });
      response.on("error", () => {});
      resolve(request);
    });
    request.on("error", reject);
  });
}

interface Work {
  readonly transactions: number;
  readonly blocks: number;
}

async function readWork(): Promise<Work> {
  await ground.pool`select pg_stat_force_next_flush()`;
  const [row] = await ground.pool<Work[]>`
    select (xact_commit + xact_rollback)::int as transactions, (blks_hit + blks_read)::int as blocks
    from pg_stat_database where datname = current_database()`;
  return row ?? { transactions: 0, blocks: 0 };
}

async function measureQuiet(): Promise<Work> {
  const before = await readWork();
  await delay(roundMs);
  const after = await readWork();
  return { transactions: after.transactions - before.transactions, blocks: after.blocks - before.blocks };
}

async function measureChange(): Promise<number> {
  told = 0;
  const done = new Promise<void>((resolve) => (allTold = resolve));
  const started = performance.now();
  await ground.pool`update disease_command.consumption_category set value = value + 1 where name = '餐饮'`;
  await done;
  return performance.now() - started;
}

const without: Work[] = [];
const withThem: Work[] = [];
const times: number[] = [];
for (let round = 0; round < rounds; round++) {
  // Which measurement comes first alternates, since the second inherits the background work of the first.
  const quiet = async () => void without.push(await measureQuiet());
  if (round % 2 === 0) await quiet();
  const open = await Promise.all(Array.from({ length: screens }, follow));
  withThem.push(await measureQuiet());
  for (const request of open) request.destroy();
  if (round % 2 === 1) await quiet();
}
const open = await Promise.all(Array.from({ length: screens }, follow));
for (let n = 0; n < changes; n++) times.push(await measureChange());
for (const request of open) request.destroy();
const show = (works: readonly Work[]) =>
  `${median(works.map(({ transactions }) => transactions))} transactions, ${median(works.map(({ blocks }) => blocks))} blocks`;
console.log(
  `in ${roundMs / 1000} quiet seconds: without screens ${show(without)}; with ${screens} screens ${show(withThem)}`,
);
console.log(`a change reaches ${screens} screens in ${median(times).toFixed(1)} ms (median of ${times.length})`);
await server.end();
await ground.end();
